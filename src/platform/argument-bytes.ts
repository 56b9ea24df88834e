import { isPortable } from "./portable.ts";
import { fs } from "./system.ts";

/** The arguments of this process as bytes, before the runtime decodes them. Only Linux provides them. */
export function argumentBytes(): Uint8Array | undefined {
  if (isPortable()) return undefined;
  try {
    return fs().readFileSync("/proc/self/cmdline");
  } catch {
    return undefined;
  }
}
