/**
 * What every command needs from the file system, without node:fs: loading that module takes 1 ms, a third of the
 * runtime's own start. Code that needs more calls `fs()` and pays then.
 */
import { type Calls, openLibrary } from "./c-library.ts";
import { isPortable } from "./portable.ts";
import { bun } from "./runtime.ts";

let loaded: typeof import("node:fs") | undefined;

export function fs(): typeof import("node:fs") {
  loaded ??= require("node:fs") as typeof import("node:fs");
  return loaded;
}

/** The time that Bun reports for a missing file. */
const never = 2 ** 52 - 1;

export const exists = (path: string) => (bun ? bun.file(path).lastModified !== never : fs().existsSync(path));

export interface FileState {
  kind: "file" | "folder" | "link" | "other";
  owner: number;
  mode: number;
}

function kindOf(mode: number): FileState["kind"] {
  const type = mode & 0o170_000;
  if (type === 0o100_000) return "file";
  if (type === 0o040_000) return "folder";
  return type === 0o120_000 ? "link" : "other";
}

/** What is at a path, without following a link at its end; undefined if there is nothing. */
export function look(path: string): FileState | undefined {
  const libc = library();
  if (!libc) return lookByNode(path);
  if (libc.statx(atWorkingDirectory, cString(path), noFollowAt, basicAndBirth, stateBytes) !== 0)
    return undefined;
  const view = new DataView(stateBytes.buffer);
  const mode = view.getUint16(28, true);
  return { kind: kindOf(mode), owner: view.getUint32(20, true), mode: mode & 0o7777 };
}

/** Of what is at a path, without following a link; undefined if there is nothing. Another file at the same path has another one. */
export const fileId = (path: string): string | undefined => idObserver(path)();

/** The same again and again. Every write to a database asks, so a text is made only if the id has changed. */
export function idObserver(path: string): () => string | undefined {
  const libc = library();
  if (!libc) return () => idByNode(path);
  const name = cString(path);
  const words = new Uint32Array(64);
  const view = new DataView(words.buffer);
  let id: string | undefined;
  let [inode, seconds, nanoseconds] = [0, 0, 0];
  return () => {
    if (libc.statx(atWorkingDirectory, name, noFollowAt, basicAndBirth, words) !== 0) return undefined;
    const same = words[8] === inode && words[20] === seconds && words[22] === nanoseconds;
    if (same && id !== undefined) return id;
    [inode, seconds, nanoseconds] = [words[8]!, words[20]!, words[22]!];
    id = `${view.getBigUint64(32, true)}:${view.getBigInt64(80, true)}.${view.getUint32(88, true)}`;
    return id;
  };
}

function idByNode(path: string): string | undefined {
  const found = fs().lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.ino}:${found.birthtimeNs}`;
}

function lookByNode(path: string): FileState | undefined {
  const found = fs().lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  const { mode, uid } = found;
  return { kind: kindOf(mode), owner: uid, mode: mode & 0o7777 };
}

/** Appends one byte to a file, or creates it. A link or a pipe in its place is left alone. */
export function append(path: string): void {
  const libc = library();
  if (!libc) return void appendByNode(path);
  const file = libc.open(cString(path), toAppend | noFollow, 0o600);
  if (file < 0) return;
  libc.write(file, oneByte, 1);
  libc.close(file);
}

function appendByNode(path: string): void {
  const { appendFileSync, closeSync, constants, openSync } = fs();
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
  try {
    const file = openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o600);
    appendFileSync(file, ".");
    closeSync(file);
  } catch {
    // As above: waiters notice by the slow check.
  }
}

const encoder = new TextEncoder();
const cString = (text: string) => encoder.encode(`${text}\0`);
const oneByte = encoder.encode(".");
/** `struct statx` is the same on every processor; `struct stat` is not. */
const stateBytes = new Uint8Array(256);
const atWorkingDirectory = -100;
const noFollowAt = 0x100;
const basicAndBirth = 0xfff;
const toAppend = 0o2_006_101; // O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC
const noFollow = process.arch === "arm64" ? 0o100_000 : 0o400_000;

const exit = { _exit: { args: ["int"], returns: "void" } } as const;
const signatures = {
  statx: { args: ["int", "cstring", "int", "u32", "ptr"], returns: "int" },
  open: { args: ["cstring", "int", "int"], returns: "int" },
  write: { args: ["int", "ptr", "usize"], returns: "i64" },
  close: { args: ["int"], returns: "int" },
  poll: { args: ["ptr", "u64", "int"], returns: "int" },
  isatty: { args: ["int"], returns: "int" },
  utimensat: { args: ["int", "cstring", "ptr", "int"], returns: "int" },
  ...exit,
} as const;

let opened: Calls<typeof signatures> | null | undefined;

/** The C library of Linux; null on another system, or if it lacks a call. */
function library(): typeof opened {
  if (opened !== undefined) return opened;
  opened = null;
  if (isPortable()) return opened;
  const calls = openLibrary(signatures);
  if (calls?.statx(atWorkingDirectory, cString("/"), noFollowAt, basicAndBirth, stateBytes) === 0)
    opened = calls;
  return opened;
}

/** Ends the process without the runtime's own shutdown. Returns if the C library is not found. */
export function exitAtOnce(code: number): void {
  (library() ?? openLibrary(exit))?._exit(code);
}

const terminal = { isatty: signatures.isatty } as const;

/** Whether a descriptor is a terminal, without node:tty: loading that takes as long as the runtime's own start. */
export function isTerminal(descriptor: number): boolean {
  const calls = library() ?? openLibrary(terminal);
  if (calls) return calls.isatty(descriptor) === 1;
  return (require("node:tty") as typeof import("node:tty")).isatty(descriptor);
}

/** Where `poll` says that a pipe can be written to, it takes this much without waiting (PIPE_BUF). */
const takenAtOnce = 4096;
const writable = 0x4; // POLLOUT

/**
 * Writes as much as a descriptor takes without waiting for its reader, and returns how many bytes that was: 0 also if it
 * cannot be written to, or on another system.
 */
export function writeAtOnce(descriptor: number, bytes: Uint8Array): number {
  const libc = library();
  if (!libc) return 0;
  const asked = new Int32Array(2);
  let done = 0;
  while (done < bytes.length) {
    asked.set([descriptor, writable]);
    if (libc.poll(asked, 1, 0) !== 1 || asked[1]! >> 16 !== writable) break;
    const next = bytes.subarray(done, done + takenAtOnce);
    const taken = Number(libc.write(descriptor, next, next.length));
    if (taken <= 0) break;
    done += taken;
  }
  return done;
}

/** The size and time of a file; the same answer twice means that nothing was written in between. */
export function stampOf(path: string): { text: string; time: number } {
  const file = bun ? bun.file(path) : statByNode(path);
  return { text: `${file.size}:${file.lastModified}`, time: file.lastModified };
}

export interface Observed {
  size: number;
  time: number;
  inode: number;
}

const missing: Observed = { size: 0, time: never, inode: 0 };

/**
 * A function that looks at a file again and again, and follows a link. It returns the same object until the file has
 * changed, and costs less than the other functions here.
 */
export function observer(path: string): () => Observed {
  const libc = library();
  if (!libc) return observerByNode(path);
  const name = cString(path);
  const words = new Uint32Array(64);
  let last = missing;
  let [inode, size, seconds, nanoseconds] = [0, 0, 0, 0];
  const number = (at: number) => words[at]! + words[at + 1]! * 2 ** 32;
  return () => {
    if (libc.statx(atWorkingDirectory, name, 0, basicAndBirth, words) !== 0) {
      last = missing;
      return last;
    }
    const same =
      words[8] === inode && words[10] === size && words[28] === seconds && words[30] === nanoseconds;
    if (same && last !== missing) return last;
    [inode, size, seconds, nanoseconds] = [words[8]!, words[10]!, words[28]!, words[30]!];
    last = { size: number(10), time: number(28) * 1000 + nanoseconds / 1e6, inode: number(8) };
    return last;
  };
}

/** The same once: thousands of watched files would each keep what an observer remembers. */
export function observe(path: string): Observed {
  const libc = library();
  if (!libc) return observedByNode(path);
  if (libc.statx(atWorkingDirectory, cString(path), 0, basicAndBirth, stateBytes) !== 0) return missing;
  const view = new DataView(stateBytes.buffer);
  const number = (at: number) => view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
  const nanoseconds = view.getUint32(120, true);
  return { size: number(40), time: number(112) * 1000 + nanoseconds / 1e6, inode: number(32) };
}

function observedByNode(path: string): Observed {
  let found: import("node:fs").Stats | undefined;
  try {
    found = fs().statSync(path, { throwIfNoEntry: false });
  } catch {
    // not a place for a file
  }
  return found ? { size: found.size, time: found.mtimeMs, inode: found.ino } : missing;
}

function observerByNode(path: string): () => Observed {
  let last = missing;
  return () => {
    const { size, time, inode } = observedByNode(path);
    if (size !== last.size || time !== last.time || inode !== last.inode) last = { size, time, inode };
    return last;
  };
}

export const sizeOf = (path: string) => (bun ? bun.file(path) : statByNode(path)).size;

function statByNode(path: string): { size: number; lastModified: number } {
  const found = fs().statSync(path, { throwIfNoEntry: false });
  return found
    ? { size: found.size, lastModified: Math.trunc(found.mtimeMs) }
    : { size: 0, lastModified: never };
}

const posixTimes = { lutimes: { args: ["cstring", "ptr"], returns: "int" } } as const;
let times: Calls<typeof posixTimes> | null | undefined;

/**
 * Sets a file's times to the current time, if it exists; a missing file is no error. Links are not followed. Returns
 * whether it did.
 */
export function touch(path: string): boolean {
  const libc = library();
  if (libc) return libc.utimensat(atWorkingDirectory, cString(path), null, noFollowAt) === 0;
  if (!exists(path)) return false;
  if (times === undefined) times = openLibrary(posixTimes);
  if (times) return times.lutimes(cString(path), null) === 0;
  const now = Date.now() / 1000;
  try {
    fs().lutimesSync(path, now, now);
    return true;
  } catch {
    return false; // removed in between: its waiters notice by their slow check
  }
}

/** Notifies watchers of a file, if it exists. kqueue does not report a new time alone: there its one byte is written. */
export function ring(path: string): void {
  if (!isPortable()) return void touch(path);
  const { closeSync, constants, openSync, writeSync } = fs();
  try {
    const file = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    writeSync(file, ".", 0);
    closeSync(file);
  } catch {
    // Missing, or not our file: its waiters notice by their slow check.
  }
}
