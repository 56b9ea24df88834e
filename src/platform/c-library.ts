/**
 * The system's C library, for the few calls that the runtime does not offer. On Apple's processors, variadic
 * arguments (`...`) are passed differently from what these calls do, so no call here uses one: `fcntl` and `ioctl`
 * only without a third argument.
 */
import type { dlopen } from "bun:ffi";

type Signatures = Parameters<typeof dlopen>[1];
export type Calls<T extends Signatures> = ReturnType<typeof dlopen<T>>["symbols"];

const ffi = () => require("bun:ffi") as typeof import("bun:ffi");

/** The address of an array's bytes. */
export const pointerTo = (bytes: NodeJS.TypedArray) => ffi().ptr(bytes);

/** The names that the library may have on a system, the most likely first. */
export function libraryNames(
  platform: string = process.platform,
  processor: string = process.arch,
): readonly string[] {
  if (platform === "darwin") return ["libSystem.B.dylib"];
  if (platform === "freebsd") return ["libc.so.7"];
  return ["libc.so.6", `libc.musl-${processor === "arm64" ? "aarch64" : "x86_64"}.so.1`];
}

/** Null if there is no such library, or if it lacks one of the calls. */
export function openLibrary<T extends Signatures>(signatures: T): Calls<T> | null {
  for (const name of libraryNames())
    try {
      return ffi().dlopen(name, signatures).symbols;
    } catch {
      // Another C library, or another runtime.
    }
  return null;
}
