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

let appendByte: ((path: string) => void) | undefined;

/** Makes a file longer by one byte; there need not be one before. */
export function append(path: string): void {
  appendByte ??= appenderByLibrary() ?? ((file) => fs().appendFileSync(file, ".", { mode: 0o600 }));
  appendByte(path);
}

function appenderByLibrary(): ((path: string) => void) | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const { symbols } = dlopen("libc.so.6", {
      open: { args: ["cstring", "int", "int"], returns: "int" },
      write: { args: ["int", "ptr", "usize"], returns: "i64" },
      close: { args: ["int"], returns: "int" },
    });
    const encoder = new TextEncoder();
    const byte = encoder.encode(".");
    const createToAppend = 0o2101; // O_WRONLY | O_CREAT | O_APPEND
    return (path) => {
      const file = symbols.open(encoder.encode(`${path}\0`), createToAppend, 0o600);
      if (file < 0) return;
      symbols.write(file, byte, 1);
      symbols.close(file);
    };
  } catch {
    return undefined;
  }
}

let setTimesToNow: ((path: string) => boolean) | undefined;

/** What a file's size and time are now; the same answer twice means that nobody wrote to it in between. */
export function stampOf(path: string): { text: string; time: number } {
  const file = Bun.file(path);
  return { text: `${file.size}:${file.lastModified}`, time: file.lastModified };
}

export const sizeOf = (path: string) => Bun.file(path).size;

/** Sets a file's times to now, if there is such a file; a missing one is nobody's mistake. Answers whether it did. */
export function touch(path: string): boolean {
  if (!exists(path)) return false;
  setTimesToNow ??= byLibrary() ?? byNode;
  return setTimesToNow(path);
}

function byLibrary(): ((path: string) => boolean) | undefined {
  try {
    const library = process.platform === "darwin" ? "libSystem.B.dylib" : "libc.so.6";
    const { symbols } = dlopen(library, { utimes: { args: ["cstring", "ptr"], returns: "int" } });
    const encoder = new TextEncoder();
    return (path) => symbols.utimes(encoder.encode(`${path}\0`), null) === 0;
  } catch {
    return undefined; // another C library
  }
}

function byNode(path: string): boolean {
  const now = Date.now() / 1000;
  try {
    fs().utimesSync(path, now, now);
    return true;
  } catch {
    return false; // removed in between: its waiters find out by their slow check
  }
}
