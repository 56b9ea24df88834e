/**
 * One at a time, of all processes: by a lock on a file, which the system lets go of when its holder dies. Where the system has
 * no such lock, nobody waits: what is written under one must be whole by itself.
 */
import { dlopen } from "bun:ffi";
import { openOwnToAppend } from "./own-files.ts";
import { fs } from "./system.ts";

const exclusive = 2;
const atOnce = 4;
const pauseMs = 3;
const lockWaitMs = 10_000;

let flock: ((descriptor: number, operation: number) => number) | undefined | null;

function load(): typeof flock {
  try {
    const library = process.platform === "darwin" ? "libSystem.B.dylib" : "libc.so.6";
    const { symbols } = dlopen(library, { flock: { args: ["int", "int"], returns: "int" } });
    return (descriptor, operation) => symbols.flock(descriptor, operation);
  } catch {
    return null; // another system
  }
}

export async function locked<T>(file: string, work: () => Promise<T>, waitMs = lockWaitMs): Promise<T> {
  flock ??= load();
  const descriptor = openOwnToAppend(file);
  try {
    const deadline = performance.now() + waitMs;
    while (flock && flock(descriptor, exclusive | atOnce) !== 0) {
      if (performance.now() > deadline) throw new Error(`${file} is held by another process`);
      await Bun.sleep(Math.random() * pauseMs);
    }
    return await work();
  } finally {
    fs().closeSync(descriptor);
  }
}
