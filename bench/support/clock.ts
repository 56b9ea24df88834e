/**
 * A clock that all processes of the machine share: CLOCK_MONOTONIC. Bun counts `process.hrtime`,
 * `Bun.nanoseconds` and `performance.now` from the start of each process.
 */
import { dlopen } from "bun:ffi";

const { symbols } = dlopen("libc.so.6", { clock_gettime: { args: ["int", "ptr"], returns: "int" } });
const monotonic = 1;
const time = new BigInt64Array(2);

/** Milliseconds, with a resolution of a microsecond or better. */
export function sharedNow(): number {
  symbols.clock_gettime(monotonic, time);
  return Number(time[0]) * 1000 + Number(time[1]) / 1e6;
}
