/** Which way the machine is asked in this run (docs/platforms.md). */
import { isPortable, platformVariable } from "../../src/platform/portable.ts";

/** For a program that is started: the same way. */
export const testPlatform = (): Record<string, string> =>
  isPortable() ? { [platformVariable]: "portable" } : {};

/**
 * Only Linux keeps hold of a process that has cleared its environment, left its session and lost its parent before anybody looked,
 * or that is gone before `ps` has ended: docs/platforms.md, what is lost.
 */
export const holdsAll = !isPortable();

/** Before a command: clears its environment, where even such a one is found again. */
export const clearing = holdsAll ? "env -i" : "env";
