/**
 * Linux's file events, read by ourselves: unlike the runtime's own watches, none is dropped, and no other thread wakes up
 * first.
 */
import { openLibrary, pointerTo } from "./c-library.ts";

const signatures = {
  inotify_init1: { args: ["int"], returns: "int" },
  inotify_add_watch: { args: ["int", "cstring", "u32"], returns: "int" },
  inotify_rm_watch: { args: ["int", "int"], returns: "int" },
  read: { args: ["int", "ptr", "usize"], returns: "i64" },
} as const;

const closeOnExecNonBlocking = 0o2_004_000;
const modified = 0x2;
const newTime = 0x4;
const deleted = 0x400;
const moved = 0x800;
const overflow = 0x4000;
/** `struct inotify_event` without a name: watch, mask, cookie and length, of four bytes each. */
const headerBytes = 16;

export interface Inotify {
  /** Readable when there are events. */
  descriptor: number;
  /** Calls the listener after each change to a file. Throws if it cannot be watched. */
  watch(path: string, listener: () => void): { close(): void };
  /** Calls the listeners of all events so far. */
  deliver(): void;
}

/** Undefined if the system offers none, or no more of them. Never closed: it ends with the process. */
export function openInotify(): Inotify | undefined {
  const calls = openLibrary(signatures);
  const descriptor = calls?.inotify_init1(closeOnExecNonBlocking) ?? -1;
  if (!calls || descriptor < 0) return undefined;
  const listeners = new Map<number, () => void>();
  const events = new DataView(new ArrayBuffer(4096));
  const buffer = pointerTo(new Uint8Array(events.buffer));

  return {
    descriptor,
    watch(path, listener) {
      const watch = calls.inotify_add_watch(
        descriptor,
        Buffer.from(`${path}\0`),
        modified | newTime | deleted | moved,
      );
      if (watch < 0) throw new Error(`${path} cannot be watched`);
      listeners.set(watch, listener);
      return {
        close() {
          listeners.delete(watch);
          calls.inotify_rm_watch(descriptor, watch);
        },
      };
    },
    deliver() {
      const changed = new Set<number>();
      for (let length = 1; length > 0; ) {
        length = Number(calls.read(descriptor, buffer, events.byteLength));
        for (let at = 0; at < length; at += headerBytes + events.getUint32(at + 12, true)) {
          if (events.getUint32(at + 4, true) & overflow)
            for (const watch of listeners.keys()) changed.add(watch);
          else changed.add(events.getInt32(at, true));
        }
      }
      for (const watch of changed) listeners.get(watch)?.();
    },
  };
}
