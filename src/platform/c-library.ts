/**
 * The system's C library: the few calls that the runtime does not offer. Arguments that C passes as `...` are passed otherwise
 * on Apple's processors than these calls pass them, so nothing here takes one: of `fcntl` and `ioctl` only what needs no
 * third argument.
 */
import type { dlopen } from "bun:ffi";

type Signatures = Parameters<typeof dlopen>[1];
export type Calls<T extends Signatures> = ReturnType<typeof dlopen<T>>["symbols"];

const ffi = () => require("bun:ffi") as typeof import("bun:ffi");

/** Where an array's bytes are. */
export const pointerTo = (bytes: NodeJS.TypedArray) => ffi().ptr(bytes);

/** The names under which a system may have it, the likeliest first. */
export function libraryNames(
  platform: string = process.platform,
  processor: string = process.arch,
): readonly string[] {
  if (platform === "darwin") return ["libSystem.B.dylib"];
  if (platform === "freebsd") return ["libc.so.7"];
  return ["libc.so.6", `libc.musl-${processor === "arm64" ? "aarch64" : "x86_64"}.so.1`];
}

/** Null where there is no such library, or where it lacks one of the calls. */
export function openLibrary<T extends Signatures>(signatures: T): Calls<T> | null {
  for (const name of libraryNames())
    try {
      return ffi().dlopen(name, signatures).symbols;
    } catch {
      // Another C library, or another runtime.
    }
  return null;
}
