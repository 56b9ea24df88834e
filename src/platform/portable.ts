/**
 * Which way the machine is asked. Linux has /proc, inotify and calls of its own; every other system is asked the portable way:
 * by `ps`, `sysctl`, and calls that POSIX has. docs/platforms.md says what each way can do.
 */

/**
 * INBOX_PLATFORM=portable takes the portable way on Linux too. It is for tests: each way names processes differently, so all
 * processes of a bus on one machine must go the same.
 */
export const platformVariable = "INBOX_PLATFORM";

let portable: boolean | undefined;

export function isPortable(): boolean {
  portable ??= process.platform !== "linux" || process.env[platformVariable] === "portable";
  return portable;
}
