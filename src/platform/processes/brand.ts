/**
 * What only Linux offers for tracking a process tree: a process may adopt orphans below it, and have a number that
 * everything it starts inherits. Elsewhere these functions do nothing, and return that.
 */
import { type Calls, openLibrary, pointerTo } from "../c-library.ts";
import { isPortable } from "../portable.ts";

const signatures = {
  prctl: { args: ["int", "u64", "u64", "u64", "u64"], returns: "int" },
  waitpid: { args: ["int", "ptr", "int"], returns: "int" },
  prlimit: { args: ["int", "int", "ptr", "ptr"], returns: "int" },
} as const;

let library: Calls<typeof signatures> | null | undefined;

function calls(): typeof library {
  if (library === undefined) library = isPortable() ? null : openLibrary(signatures);
  return library;
}

const setChildSubreaper = 36;

let adopting = false;

/** Orphans below this process become its children instead of init's: none gets out of sight. */
export function adoptOrphans(): void {
  adopting = calls()?.prctl(setChildSubreaper, 1, 0, 0, 0) === 0;
}

export const isAdopting = () => adopting;

const noWaiting = 1;

/** Reaps an adopted child that has exited; the runtime does so only for children it has started. */
export const reap = (pid: number): void => void calls()?.waitpid(pid, null, noWaiting);

const realTimeLimit = 15;
const unlimited = 2n ** 64n - 1n;

/**
 * A number that everything this process starts from now on inherits: a soft limit that concerns no ordinary program
 * (microseconds of real-time scheduling; ours are weeks). An environment can be cleared, a session left, files
 * closed; this stays. Without a number it is removed.
 */
export function brandSelf(brand?: number): void {
  const limits = new BigUint64Array(2);
  if (calls()?.prlimit(0, realTimeLimit, null, pointerTo(limits)) !== 0) return;
  const [, most] = limits as unknown as [bigint, bigint];
  const soft = brand === undefined ? most : BigInt(brand);
  if (most !== unlimited && soft > most) return;
  limits[0] = soft;
  calls()?.prlimit(0, realTimeLimit, pointerTo(limits), null);
}

/** How /proc/PID/limits shows it. */
export const brandLine = (brand: number) => `\nMax realtime timeout      ${brand} `;
