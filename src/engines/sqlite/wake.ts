/**
 * Wake-ups. In one process a listener is called; across processes the writer touches a file after its
 * commit and waiters watch it. 64 files by hash of the topic, so that a write wakes few of a hundred
 * waiters, and one for those who wait for everything. A waiter makes its file before it reads, a writer looks
 * for files after its commit: whichever comes first, the other sees it. The write-ahead log itself
 * is no signal: its write comes before the commit is visible.
 *
 * In one process a topic is exact, and the process's own touches come back as file events that say nothing new:
 * SQLite's data version, which only others' commits change, tells the two apart. So ten thousand waiters in a hub cost
 * a write only as much as those it concerns.
 *
 * A writer may die between its commit and its touch. So it makes one file longer before the commit and another after
 * the touch: as long as the two keep their distance, nobody has, and a waiter need not look again because somebody
 * else was written to. A commit without either is a stranger's, and everybody looks.
 *
 * A file that is deleted or replaced leaves its watcher deaf without an error, and inotify gives 128
 * instances a user. So one slow timer a process looks every second (`changed`), and where
 * watching fails, files are polled.
 */
import { isOwnFolder } from "../../platform/own-files.ts";
import { append, ring, sizeOf, stampOf } from "../../platform/system.ts";
import { everything } from "../../sql/topics.ts";
import type { Subscription } from "../engine.ts";
import { Listeners } from "../listeners.ts";
import { bell } from "../subscription.ts";
import { WakeFiles } from "./wake-files.ts";

const slowCheckMs = 1000;

export interface Wake {
  /** Before a commit; the answer is called after it, whatever became of it, with what it concerned. */
  announce(): (topics: Set<string>) => void;
  subscribe(topics: readonly string[]): Subscription;
  close(): void;
}

/** The two files whose lengths tell whether a writer died between its commit and its touch. */
const countersIn = (folder: string) => ({ before: `${folder}/begun`, after: `${folder}/ended` });

/** `dataVersion` grows with every commit of another connection, and may throw; `log` is the file commits are written to. */
export function openWake(folder: string, log: string, dataVersion: () => number): Wake {
  const files = new WakeFiles(folder, dataVersion);
  const local = new Listeners();
  const { before, after } = countersIn(folder);
  let stopSlowCheck: (() => void) | undefined;

  function listen(topic: string, listener: () => void): void {
    files.listen(bucketOf(topic), listener);
    local.add(topic, listener);
    stopSlowCheck ??= startSlowCheck({ folder, log, dataVersion, files });
  }

  function unlisten(topic: string, listener: () => void): void {
    local.remove(topic, listener);
    files.unlisten(bucketOf(topic), listener);
    if (files.size) return;
    stopSlowCheck?.();
    stopSlowCheck = undefined;
  }

  return {
    announce() {
      const watched = isOwnFolder(folder); // else nobody has ever waited here
      if (watched) append(before);
      return (topics) => {
        for (const topic of topics) local.ring(topic);
        if (!topics.size || !isOwnFolder(folder)) return void (watched && append(after));
        for (const name of new Set([...topics].map(bucketOf))) ring(`${folder}/${name}`);
        if (watched) append(after);
      };
    },

    subscribe(topics) {
      const { subscription, ring } = bell(
        (listener) => {
          for (const topic of topics) unlisten(topic, listener);
        },
        () => files.failure,
      );
      for (const topic of topics) listen(topic, ring);
      return subscription;
    },

    close() {
      for (const [topic, listener] of local.all()) unlisten(topic, listener);
    },
  };
}

interface Watched {
  folder: string;
  log: string;
  dataVersion: () => number;
  files: WakeFiles;
}

/** Looks every second for commits that nobody announced, and for files that are gone. The answer ends it. */
function startSlowCheck({ folder, log, dataVersion, files }: Watched): () => void {
  const { before, after } = countersIn(folder);
  const counts = () => {
    const begun = sizeOf(before);
    return { begun, missing: begun - sizeOf(after) };
  };
  let last = { stamp: "", certain: false, version: dataVersion(), ...counts() };

  /** True if a commit has come that whoever made it did not announce to the end. */
  function lostOne(stamp: string, certain: boolean): boolean {
    const { begun, missing } = counts();
    const failed = files.failure !== undefined;
    const strange = failed || begun <= last.begun || missing > last.missing || files.isDeaf();
    // Mostly somebody else was written to, and whoever wrote said so to the end. The version stays as it was then: at worst
    // somebody looks once for nothing.
    if (!strange) {
      last = { ...last, stamp, certain, begun, missing };
      return false;
    }
    // The database first: where it is gone nothing may be made anew beside it.
    const version = dataVersion();
    files.failure = undefined;
    files.repair();
    const lost = failed || version !== last.version;
    last = { stamp, certain, version, begun, missing };
    return lost;
  }

  /** Mostly nothing was written, and asking the file's size and time is all it takes to know. */
  function check(): void {
    const { text: stamp, time } = stampOf(log);
    if (stamp === last.stamp && last.certain && files.failure === undefined) return;
    // A file's time is coarse: what was written just now may be followed by more with the same time.
    const certain = Math.abs(Date.now() - time) > 100;
    try {
      if (!lostOne(stamp, certain)) return;
    } catch (error) {
      files.failure = error;
    }
    files.notifyAll();
  }

  const timer = setInterval(check, slowCheckMs);
  return () => clearInterval(timer);
}

/** FNV-1a; any hash will do that all versions agree on. */
function bucketOf(topic: string): string {
  if (topic === everything) return "all";
  let hash = 0x811c9dc5;
  for (let i = 0; i < topic.length; i++) hash = Math.imul(hash ^ topic.charCodeAt(i), 0x01000193);
  return ((hash >>> 8) & 63).toString(16).padStart(2, "0");
}
