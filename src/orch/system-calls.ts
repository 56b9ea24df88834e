/** The few calls of the system's C library that the runtime does not offer. Where there is none they do nothing, and say so. */
import type { dlopen } from "bun:ffi";

const ffi = () => require("bun:ffi") as typeof import("bun:ffi");

const signatures = {
  prctl: { args: ["int", "u64", "u64", "u64", "u64"], returns: "int" },
  pipe2: { args: ["ptr", "int"], returns: "int" },
  waitpid: { args: ["int", "ptr", "int"], returns: "int" },
  prlimit: { args: ["int", "int", "ptr", "ptr"], returns: "int" },
} as const;

type Calls = ReturnType<typeof dlopen<typeof signatures>>["symbols"];
let library: Calls | null | undefined;

function calls(): Calls | null {
  if (library !== undefined) return library;
  library = null;
  if (process.platform !== "linux") return library;
  const musl = `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`;
  for (const name of ["libc.so.6", musl])
    try {
      library = ffi().dlopen(name, signatures).symbols;
      break;
    } catch {
      // Another C library.
    }
  return library;
}

const setChildSubreaper = 36;

/** Orphans below this process become its children instead of init's: none gets out of sight. */
export const adoptOrphans = (): boolean => calls()?.prctl(setChildSubreaper, 1, 0, 0, 0) === 0;

const closeOnExec = 0o2000000;

/**
 * A pipe: the end to read and the end to write. The runtime's own pipe to a child is read into memory whether or not
 * anybody takes what was read; one of ours makes a child that prints faster than it is followed wait.
 */
export function makePipe(): { from: number; to: number } | undefined {
  const ends = new Int32Array(2);
  return calls()?.pipe2(ffi().ptr(ends), closeOnExec) === 0 ? { from: ends[0]!, to: ends[1]! } : undefined;
}

const noWaiting = 1;

/** An adopted child that has ended is let go; the runtime does so only for those it has started. */
export const reap = (pid: number): void => void calls()?.waitpid(pid, null, noWaiting);

const realTimeLimit = 15;
const unlimited = 2n ** 64n - 1n;

/**
 * A number that whatever this process starts from now on bears too: a soft limit that concerns no ordinary program (of
 * microseconds in real-time scheduling; ours are weeks). An environment can be cleared, a session left, files closed;
 * this stays. Without a number it is taken off.
 */
export function brandSelf(brand?: number): void {
  const limits = new BigUint64Array(2);
  if (calls()?.prlimit(0, realTimeLimit, null, ffi().ptr(limits)) !== 0) return;
  const [, most] = limits as unknown as [bigint, bigint];
  const soft = brand === undefined ? most : BigInt(brand);
  if (most !== unlimited && soft > most) return;
  limits[0] = soft;
  calls()?.prlimit(0, realTimeLimit, ffi().ptr(limits), null);
}
