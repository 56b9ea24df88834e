/**
 * How the operating system is called. Linux has /proc, inotify and calls of its own; every other system is called in
 * the portable way: by `ps`, `sysctl`, and POSIX calls. docs/platforms.md says what each way can do.
 */

/**
 * INBOX_PLATFORM=portable selects the portable way on Linux too. It is for tests: each way names processes
 * differently, so all processes of a bus on one machine must use the same.
 */
export const platformVariable = "INBOX_PLATFORM";

let portable: boolean | undefined;

export function isPortable(): boolean {
  portable ??= process.platform !== "linux" || process.env[platformVariable] === "portable";
  return portable;
}
