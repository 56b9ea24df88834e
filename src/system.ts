/**
 * What every command asks of the file system, without node:fs: loading that module takes 1 ms, a third of the
 * runtime's own start. Whoever needs more of it asks for `fs()` and pays then.
 */
import { dlopen } from "bun:ffi";

let loaded: typeof import("node:fs") | undefined;

export function fs(): typeof import("node:fs") {
  loaded ??= require("node:fs") as typeof import("node:fs");
  return loaded;
}

/** What Bun answers for the time of a file that is not there. */
const never = 2 ** 52 - 1;

export const exists = (path: string) => Bun.file(path).lastModified !== never;

let setTimesToNow: ((path: string) => void) | undefined;

/** Sets a file's times to now, if there is such a file; a missing one is nobody's mistake. */
export function touch(path: string): void {
  if (!exists(path)) return;
  setTimesToNow ??= byLibrary() ?? byNode;
  setTimesToNow(path);
}

function byLibrary(): ((path: string) => void) | undefined {
  try {
    const library = process.platform === "darwin" ? "libSystem.B.dylib" : "libc.so.6";
    const { symbols } = dlopen(library, { utimes: { args: ["cstring", "ptr"], returns: "int" } });
    const encoder = new TextEncoder();
    return (path) => void symbols.utimes(encoder.encode(`${path}\0`), null);
  } catch {
    return undefined; // another C library
  }
}

function byNode(path: string): void {
  const now = Date.now() / 1000;
  try {
    fs().utimesSync(path, now, now);
  } catch {
    // Removed in between: its waiters find out by their slow check.
  }
}
