/**
 * [B4] How much of what was written to a pipe or a socket its reader has not taken yet. The kernel knows; the runtime does
 * not ask it. Linux only: elsewhere the write end of a pipe cannot be asked, and the answer is "not known".
 */
import { dlopen, ptr } from "bun:ffi";
import { fstatSync } from "node:fs";

const signatures = {
  ioctl: { args: ["int", "u64", "ptr"], returns: "int" },
  getsockopt: { args: ["int", "int", "int", "ptr", "ptr"], returns: "int" },
} as const;

type Calls = ReturnType<typeof dlopen<typeof signatures>>["symbols"];

function openLibrary(): Calls | undefined {
  if (process.platform !== "linux") return undefined;
  const musl = `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`;
  for (const name of ["libc.so.6", musl])
    try {
      return dlopen(name, signatures).symbols;
    } catch {
      // Another C library.
    }
  return undefined;
}

const fionread = 0x541b;
const siocoutq = 0x5411;
const solSocket = 1;
const soError = 4;

/** In bytes; of a socket an upper bound, since the kernel counts its own overhead too. Undefined where nobody knows. */
export function unreadBytes(file: number): number | undefined {
  const stat = fstatSync(file);
  if (stat.isFile()) return 0; // what is in a file has arrived
  const calls = openLibrary();
  if (!calls) return undefined;
  if (stat.isFIFO()) return numberFrom((value) => calls.ioctl(file, fionread, value));
  if (!stat.isSocket()) return undefined;
  // A reader that is gone takes its queue along; that something was in it remains as an error (ECONNRESET).
  const size = new Int32Array([4]);
  const error = numberFrom((value) => calls.getsockopt(file, solSocket, soError, value, ptr(size)));
  if (error !== 0) return error === undefined ? undefined : Number.POSITIVE_INFINITY;
  return numberFrom((value) => calls.ioctl(file, siocoutq, value));
}

function numberFrom(ask: (value: ReturnType<typeof ptr>) => number): number | undefined {
  const value = new Int32Array(1);
  return ask(ptr(value)) === 0 ? value[0] : undefined;
}
