import { isPortable } from "./portable.ts";
import { fs } from "./system.ts";

/** This process's words as they were typed, before the runtime made text of them. Only Linux tells. */
export function argumentBytes(): Uint8Array | undefined {
  if (isPortable()) return undefined;
  try {
    return fs().readFileSync("/proc/self/cmdline");
  } catch {
    return undefined;
  }
}
