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
import type { FSWatcher } from "node:fs";
import { isOwnFolder, makeOwnFolder, openOwnToAppend } from "../../platform/own-files.ts";
import { append, fs, sizeOf, stampOf, touch } from "../../platform/system.ts";
import { everything } from "../../sql/topics.ts";
import type { Subscription } from "../engine.ts";
import { bell } from "../subscription.ts";

const slowCheckMs = 1000;
const pollMs = 100;
const againMs = 5;

interface Bucket {
  file: string;
  listeners: Set<() => void>;
  watcher?: FSWatcher;
  inode: number;
  touched: number;
  /** The data version its listeners were last woken for. */
  version: number;
  again?: Timer;
}

export interface Wake {
  /** Before a commit; the answer is called after it, whatever became of it, with what it concerned. */
  announce(): (topics: Set<string>) => void;
  subscribe(topics: readonly string[]): Subscription;
  close(): void;
}

/** `dataVersion` grows with every commit of another connection, and may throw; `log` is the file commits are written to. */
export function openWake(folder: string, log: string, dataVersion: () => number): Wake {
  const buckets = new Map<string, Bucket>();
  const local = new Map<string, Set<() => void>>();
  let slowTimer: Timer | undefined;
  let pollTimer: Timer | undefined;
  const before = `${folder}/begun`;
  const after = `${folder}/ended`;
  let slow = { stamp: "", certain: false, version: -1, begun: -1, missing: 0 };
  let failure: unknown;

  const notify = (listeners: Iterable<() => void>) => {
    for (const listener of listeners) listener();
  };

  /**
   * A file's event: news only if somebody else has committed since. The runtime drops an event that follows another
   * within a millisecond, so for a moment after each one is looked again: also after one of our own, which may have
   * been followed by somebody else's.
   */
  function rang(bucket: Bucket, event = true): void {
    let news = true;
    try {
      const version = dataVersion();
      news = version !== bucket.version;
      bucket.version = version;
    } catch (error) {
      failure = error;
    }
    if (news || event) {
      clearTimeout(bucket.again);
      bucket.again = setTimeout(() => {
        if (bucket.listeners.size) rang(bucket, false);
      }, againMs);
    }
    if (news) notify(bucket.listeners);
  }

  /** Makes and watches a bucket's file. Where that cannot be done the timers still notice every change. */
  function attach(bucket: Bucket): void {
    const { closeSync, watch } = fs();
    bucket.watcher?.close();
    bucket.watcher = undefined;
    try {
      makeOwnFolder(folder);
      closeSync(openOwnToAppend(bucket.file));
      remember(bucket);
      if (pollTimer) return;
      bucket.watcher = watch(bucket.file, () => rang(bucket));
      bucket.watcher.on("error", poll);
    } catch {
      poll();
    }
  }

  function remember(bucket: Bucket): boolean {
    const { ino, mtimeMs } = fs().statSync(bucket.file);
    const moved = bucket.inode !== ino || bucket.touched !== mtimeMs;
    bucket.inode = ino;
    bucket.touched = mtimeMs;
    return moved;
  }

  function poll(): void {
    pollTimer ??= setInterval(() => {
      for (const bucket of buckets.values()) {
        try {
          if (remember(bucket)) rang(bucket);
        } catch {
          // Gone: the slow check makes it anew.
        }
      }
    }, pollMs);
  }

  /** Once a second. Mostly nothing was written, and asking the file's size and time is all it takes to know. */
  function slowCheck(): void {
    const { text: stamp, time } = stampOf(log);
    if (stamp === slow.stamp && slow.certain) return;
    // A file's time is coarse: what was written just now may be followed by more with the same time.
    const certain = Math.abs(Date.now() - time) > 100;
    try {
      // The database first: where it is gone nothing may be made anew beside it.
      const version = dataVersion();
      const deaf = [...buckets.values()].filter((bucket) => inodeOf(bucket.file) !== bucket.inode);
      for (const bucket of deaf) attach(bucket);
      const begun = sizeOf(before);
      const missing = begun - sizeOf(after);
      const strange = begun <= slow.begun || missing > slow.missing || deaf.length > 0;
      const lost = strange && version !== slow.version;
      slow = { stamp, certain, version, begun, missing };
      if (!lost) return;
    } catch (error) {
      failure = error;
    }
    for (const bucket of buckets.values()) notify(bucket.listeners);
  }

  function listen(topic: string, listener: () => void): void {
    const name = bucketOf(topic);
    let bucket = buckets.get(name);
    if (!bucket) {
      bucket = {
        file: `${folder}/${name}`,
        listeners: new Set(),
        inode: 0,
        touched: 0,
        version: dataVersion(),
      };
      attach(bucket);
      buckets.set(name, bucket);
    }
    bucket.listeners.add(listener);
    const sameTopic = local.get(topic) ?? new Set();
    local.set(topic, sameTopic.add(listener));
    if (slowTimer) return;
    slow = {
      stamp: "",
      certain: false,
      version: dataVersion(),
      begun: sizeOf(before),
      missing: sizeOf(before) - sizeOf(after),
    };
    slowTimer = setInterval(slowCheck, slowCheckMs);
  }

  function unlisten(topic: string, listener: () => void): void {
    const sameTopic = local.get(topic);
    sameTopic?.delete(listener);
    if (!sameTopic?.size) local.delete(topic);
    const name = bucketOf(topic);
    const bucket = buckets.get(name);
    bucket?.listeners.delete(listener);
    if (!bucket || bucket.listeners.size) return;
    bucket.watcher?.close();
    clearTimeout(bucket.again);
    buckets.delete(name);
    if (buckets.size) return;
    clearInterval(slowTimer);
    clearInterval(pollTimer);
    slowTimer = pollTimer = undefined;
  }

  return {
    announce() {
      const watched = isOwnFolder(folder); // else nobody has ever waited here
      if (watched) append(before);
      return (topics) => {
        for (const topic of topics) notify(local.get(topic) ?? []);
        if (!topics.size || !isOwnFolder(folder)) return void (watched && append(after));
        for (const name of new Set([...topics].map(bucketOf))) touch(`${folder}/${name}`);
        if (watched) append(after);
      };
    },

    subscribe(topics) {
      const { subscription, ring } = bell(
        (listener) => {
          for (const topic of topics) unlisten(topic, listener);
        },
        () => failure,
      );
      for (const topic of topics) listen(topic, ring);
      return subscription;
    },

    close() {
      for (const [topic, listeners] of [...local])
        for (const listener of [...listeners]) unlisten(topic, listener);
    },
  };
}

function inodeOf(file: string): number | undefined {
  try {
    return fs().statSync(file).ino;
  } catch {
    return undefined; // missing, or no place for a file
  }
}

/** FNV-1a; any hash will do that all versions agree on. */
function bucketOf(topic: string): string {
  if (topic === everything) return "all";
  let hash = 0x811c9dc5;
  for (let i = 0; i < topic.length; i++) hash = Math.imul(hash ^ topic.charCodeAt(i), 0x01000193);
  return ((hash >>> 8) & 63).toString(16).padStart(2, "0");
}
