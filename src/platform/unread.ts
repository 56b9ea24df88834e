/**
 * [B4] How much of what was written to a pipe or a socket its reader has not read yet. The kernel knows; the runtime
 * does not ask. Linux only: elsewhere the write end of a pipe cannot be queried, and the answer is "not known".
 */
import { fstatSync } from "node:fs";
import { openLibrary, pointerTo } from "./c-library.ts";
import { isPortable } from "./portable.ts";

const signatures = {
  ioctl: { args: ["int", "u64", "ptr"], returns: "int" },
  getsockopt: { args: ["int", "int", "int", "ptr", "ptr"], returns: "int" },
} as const;

const fionread = 0x541b;
const siocoutq = 0x5411;
const solSocket = 1;
const soError = 4;

/** In bytes; for a socket an upper bound, because the kernel counts its own overhead too. Undefined if it is not known. */
export function unreadBytes(file: number): number | undefined {
  const stat = fstatSync(file);
  if (stat.isFile()) return 0; // what was written to a file has arrived
  const calls = isPortable() ? null : openLibrary(signatures);
  if (!calls) return undefined;
  if (stat.isFIFO()) return numberFrom((value) => calls.ioctl(file, fionread, value));
  if (!stat.isSocket()) return undefined;
  // When a reader is gone, its queue is gone too; an error (ECONNRESET) shows that something was in it.
  const size = new Int32Array([4]);
  const error = numberFrom((value) => calls.getsockopt(file, solSocket, soError, value, pointerTo(size)));
  if (error !== 0) return error === undefined ? undefined : Number.POSITIVE_INFINITY;
  return numberFrom((value) => calls.ioctl(file, siocoutq, value));
}

function numberFrom(ask: (value: ReturnType<typeof pointerTo>) => number): number | undefined {
  const value = new Int32Array(1);
  return ask(pointerTo(value)) === 0 ? value[0] : undefined;
}
