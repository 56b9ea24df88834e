/**
 * A command that does nothing but wait sleeps in `poll`, not in the runtime: there each return from sleep costs 60 to 200
 * µs of processor time (the event loop, the allocator's thread, the collector's timer), here 30.
 *
 * The thread is blocked meanwhile, so this is only for a process that has nothing else to do (quiet.ts). `poll` returns
 * when a watched file has changed, when a timer made by `after` is due, and when the runtime has an event (a signal,
 * output that can be written), because it also waits for the descriptor on which the runtime waits. What follows from a
 * change is done without the event loop, as far as it needs none. Timers that were not made by `after` are late.
 */
import { openLibrary, pointerTo } from "./c-library.ts";
import { polling } from "./descriptors.ts";
import { type Inotify, openInotify } from "./inotify.ts";
import { isPortable } from "./portable.ts";
import { isQuiet, nextAlarm, onQuiet, ringDue } from "./quiet.ts";
import { fs } from "./system.ts";

/** Timers that nobody told of would be this late. */
const longestMs = 120_000;
/** How often the events of watched files are read while the process is awake; always, if the runtime is not as expected. */
const awakeMs = 20;
/** Little is run, and seldom: compiling it to machine code, which takes threads, would cost more than it saves. */
const reluctant = 50;

export interface Nap {
  watch: Inotify["watch"];
  /**
   * Sleeps from now on whenever nothing is being done. `work` is called when it is due, and returns when it is due next, as
   * `performance.now()` counts. The returned function ends this.
   */
  begin(work: () => number): () => void;
}

let taken = false;

/** Undefined if the system or the runtime does not allow it, or this process has one already: it has one thread. */
export function openNap(): Nap | undefined {
  if (taken || isPortable()) return undefined;
  const queue = runtimeQueue();
  const inotify = queue === undefined ? undefined : openInotify();
  const sleep = inotify && sleeper(queue!, inotify.descriptor);
  if (!inotify || !sleep) return undefined;
  taken = true;
  return { watch: inotify.watch, begin: (work) => begin(inotify, sleep, work) };
}

function begin(inotify: Inotify, sleep: Sleep, work: () => number): () => void {
  const { drainMicrotasks } = require("bun:jsc") as typeof import("bun:jsc");
  let next: Timer | undefined;
  let reading: Timer | undefined;
  let broken = false;
  let over = false;
  const mayNap = () => !over && !broken && isQuiet();

  function nap(): void {
    next = undefined;
    if (!mayNap()) return;
    clearInterval(reading);
    reading = undefined;
    Bun.unsafe.setJITPolicy(reluctant);
    const end = performance.now() + longestMs;
    let due = work();
    while (mayNap()) {
      const woken = sleep(Math.max(0, Math.min(due, nextAlarm(), end) - performance.now()));
      broken = woken === "broken";
      if (woken === "broken" || woken === "runtime") break;
      if (woken === "files") inotify.deliver();
      else ringDue();
      due = work();
      drainMicrotasks();
      if (performance.now() >= end) break;
    }
    rest();
  }

  /**
   * What was started in the same turn of the event loop, or is due in the next one, comes first. If something is being
   * done, this is called again when it has been done.
   */
  function rest(): void {
    if (over) return;
    reading ??= setInterval(inotify.deliver, awakeMs);
    if (mayNap()) next ??= setTimeout(() => setImmediate(nap));
  }

  onQuiet(rest);
  rest();
  return () => {
    over = true;
    onQuiet(undefined);
    clearTimeout(next);
    clearInterval(reading);
  };
}

type Sleep = (ms: number) => "time" | "files" | "runtime" | "broken";

const readable = 1;

function sleeper(queue: number, files: number): Sleep | undefined {
  const calls = openLibrary(polling);
  // `struct pollfd` is the descriptor and, in 16 bits each, what is asked and what is answered.
  const asked = new Int32Array([queue, readable, files, readable]);
  const answered = new Int16Array(asked.buffer);
  const address = pointerTo(asked);
  return (
    (calls &&
      ((ms) => {
        const count = calls.poll(address, 2, Math.ceil(ms));
        if (count === 0) return "time";
        if (count < 0) return "runtime"; // a signal
        if ((answered[3]! | answered[7]!) & ~readable) return "broken";
        return answered[3] ? "runtime" : "files";
      })) ||
    undefined
  );
}

/** The descriptor on which the runtime waits for events. Undefined if there is none, or more than one. */
function runtimeQueue(): number | undefined {
  const { readdirSync, readlinkSync } = fs();
  const found = readdirSync("/proc/self/fd").filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === "anon_inode:[eventpoll]";
    } catch {
      return false; // closed in between
    }
  });
  return found.length === 1 ? Number(found[0]) : undefined;
}
