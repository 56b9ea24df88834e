/** Calls on open files that the runtime does not offer, and a pipe that it does not read. */
import { type Calls, openLibrary, pointerTo } from "./c-library.ts";
import { isPortable } from "./portable.ts";
import { exists } from "./system.ts";

const linuxPipe = { pipe2: { args: ["ptr", "int"], returns: "int" } } as const;
const posixPipe = {
  pipe: { args: ["ptr"], returns: "int" },
  ioctl: { args: ["int", "u64"], returns: "int" },
} as const;

const closeOnExec = 0o2000000;
/** FIOCLEX: does the same as `fcntl`, which would need a third argument. */
const setCloseOnExec = process.platform === "linux" ? 0x5451 : 0x20006601;

let linux: Calls<typeof linuxPipe> | null | undefined;
let posix: Calls<typeof posixPipe> | null | undefined;

function openPipe(ends: Int32Array): boolean {
  if (!isPortable()) {
    if (linux === undefined) linux = openLibrary(linuxPipe);
    return linux?.pipe2(pointerTo(ends), closeOnExec) === 0;
  }
  if (posix === undefined) posix = openLibrary(posixPipe);
  if (posix?.pipe(pointerTo(ends)) !== 0) return false;
  for (const end of ends) posix.ioctl(end, setCloseOnExec);
  return true;
}

/**
 * A pipe: the end to read and the end to write. The runtime reads its own pipe to a child into memory whether or not
 * the data is consumed; with ours, a child that prints faster than it is read has to wait.
 */
export function makePipe(): { from: number; to: number } | undefined {
  const ends = new Int32Array(2);
  return openPipe(ends) ? { from: ends[0]!, to: ends[1]! } : undefined;
}

const getDescriptorFlags = 1;
const closesOnExec = 1;

/**
 * Whether a descriptor was inherited from the parent process. Descriptors that the runtime opens itself, in place of
 * a closed one, are close-on-exec, which inherited ones never are.
 */
export async function isInherited(descriptor: number): Promise<boolean> {
  if (isPortable()) {
    const calls = openLibrary({ fcntl: { args: ["int", "int"], returns: "int" } });
    return !calls || (calls.fcntl(descriptor, getDescriptorFlags) & closesOnExec) === 0;
  }
  const info = `/proc/self/fdinfo/${descriptor}`;
  if (!exists(info)) return true;
  const flags = /^flags:\s*([0-7]+)/m.exec(await Bun.file(info).text())?.[1] ?? "0";
  return (Number.parseInt(flags, 8) & closeOnExec) === 0;
}

export const polling = { poll: { args: ["ptr", "u64", "int"], returns: "int" } } as const;
/** POLLERR, POLLHUP and POLLNVAL, in the half of `struct pollfd` that is answered. */
const brokenOff = 0x8 | 0x10 | 0x20;

/** Whether somebody may still read what is written to a descriptor: false for a pipe whose reader has closed its end. */
export function hasReader(descriptor: number): boolean {
  const asked = new Int32Array([descriptor, 0]);
  const count = openLibrary(polling)?.poll(pointerTo(asked), 1, 0);
  return count !== 1 || ((asked[1]! >> 16) & brokenOff) === 0;
}

/** Linux: a path to an open file itself, wherever it is now; read as a link, it gives the file's path. */
export const pathOfOpen = (descriptor: number) => `/proc/self/fd/${descriptor}`;
