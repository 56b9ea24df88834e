/** The files that signal commits: created, watched, and polled if they cannot be watched. wake.ts explains their use. */
import { makeOwnFolderInside, openOwnToAppend } from "../../platform/own-files.ts";
import { after, stayAwake } from "../../platform/quiet.ts";
import { fs, observe } from "../../platform/system.ts";
import { tellsAll, watch } from "../../platform/watch.ts";
import { type Listener, Listeners } from "../listeners.ts";

const pollMs = 100;
const againMs = 5;
/** Whoever waits again and again, as for each message, finds its file watched: to begin and to end that took ten system calls each time. */
const lingerMs = 200;

interface Watcher {
  close(): void;
}

interface Bucket {
  name: string;
  file: string;
  watcher?: Watcher;
  /** Its watch drops no events. */
  exact?: boolean;
  inode: number;
  touched: number;
  /** The data version for which its listeners were last woken. */
  version: number;
  cancelAgain?: () => void;
}

export class WakeFiles {
  /** Why the database could not be asked when it was asked last; undefined where it could. */
  failure: unknown;
  readonly #buckets = new Map<string, Bucket>();
  readonly #listeners = new Listeners();
  readonly #idle = new Set<Bucket>();
  #cancelLinger: (() => void) | undefined;
  #pollTimer: Timer | undefined;
  #endPolling: (() => void) | undefined;

  constructor(
    private readonly folder: string,
    private readonly dataVersion: () => number,
    /** A watch that drops nothing, if there is one. */
    private readonly watchExactly: (file: string, listener: () => void) => Watcher | undefined,
    /** Called when nothing is watched any more. */
    private readonly whenEmpty: () => void,
  ) {}

  listen(name: string, listener: Listener): void {
    let bucket = this.#buckets.get(name);
    if (!bucket) {
      const file = `${this.folder}/${name}`;
      bucket = { name, file, inode: 0, touched: 0, version: this.dataVersion() };
      this.#attach(bucket);
      this.#buckets.set(name, bucket);
    } else if (this.failure !== undefined) {
      // Throws if the database is still gone: also where the file has been watched since the last one left.
      this.dataVersion();
    }
    this.#listeners.add(name, listener);
  }

  unlisten(name: string, listener: Listener): void {
    const bucket = this.#buckets.get(name);
    if (!this.#listeners.remove(name, listener) || !bucket) return;
    if (bucket.exact || this.#pollTimer) return void this.#close(bucket);
    this.#idle.add(bucket);
    this.#cancelLinger ??= after(lingerMs, () => this.closeIdle());
  }

  /** Stops watching for those who have left. */
  closeIdle(): void {
    this.#cancelLinger?.();
    this.#cancelLinger = undefined;
    for (const bucket of this.#idle) if (!this.#listeners.has(bucket.name)) this.#close(bucket);
    this.#idle.clear();
  }

  #close(bucket: Bucket): void {
    bucket.watcher?.close();
    bucket.cancelAgain?.();
    this.#buckets.delete(bucket.name);
    if (this.#buckets.size) return;
    clearInterval(this.#pollTimer);
    this.#pollTimer = undefined;
    this.#endPolling?.();
    this.whenEmpty();
  }

  notifyAll(): void {
    this.#listeners.ringAll();
  }

  /** Whether a file was deleted or replaced: then writes of other processes no longer wake this one. */
  isDeaf(): boolean {
    for (const bucket of this.#buckets.values()) if (observe(bucket.file).inode !== bucket.inode) return true;
    return false;
  }

  /** Creates such files again. */
  repair(): void {
    for (const bucket of this.#buckets.values())
      if (observe(bucket.file).inode !== bucket.inode) this.#attach(bucket);
  }

  /** Creates and watches a bucket's file. If that is not possible, the timers still notice every change. */
  #attach(bucket: Bucket): void {
    bucket.watcher?.close();
    bucket.watcher = undefined;
    try {
      this.dataVersion(); // If the database is gone, nothing is created beside it.
      makeOwnFolderInside(this.folder);
      fs().closeSync(openOwnToAppend(bucket.file));
      remember(bucket);
      if (!tellsAll()) this.#poll();
      else if (this.#pollTimer) return;
      this.#watch(bucket);
    } catch {
      this.#poll();
    }
  }

  #watch(bucket: Bucket): void {
    const listener = () => this.#onEvent(bucket);
    bucket.watcher = this.watchExactly(bucket.file, listener);
    bucket.exact = bucket.watcher !== undefined;
    if (bucket.exact) return;
    const watcher = watch(bucket.file, listener);
    watcher.on("error", () => this.#poll());
    bucket.watcher = watcher;
  }

  #poll(): void {
    if (this.#pollTimer) return;
    this.#endPolling = stayAwake();
    this.#pollTimer = setInterval(() => {
      for (const bucket of this.#buckets.values()) {
        // If it is deleted, the slow check creates it again.
        if (remember(bucket)) this.#onEvent(bucket);
      }
    }, pollMs);
  }

  /**
   * A file event means something only if another process has committed since. The runtime drops an event that follows
   * another within a millisecond, so for a moment after each of its events the file is checked again: also after our
   * own, which another process's may have followed.
   */
  #onEvent(bucket: Bucket, event = true): void {
    let news = true;
    try {
      const version = this.dataVersion();
      news = version !== bucket.version;
      bucket.version = version;
      this.failure = undefined;
    } catch (error) {
      this.failure = error;
    }
    if ((news || event) && !bucket.exact) {
      bucket.cancelAgain?.();
      bucket.cancelAgain = after(againMs, () => {
        bucket.cancelAgain = undefined; // a bucket may be idle for long
        if (this.#listeners.has(bucket.name)) this.#onEvent(bucket, false);
      });
    }
    if (news) this.#listeners.ring(bucket.name);
  }
}

/** True if the file was replaced, or touched since. */
function remember(bucket: Bucket): boolean {
  const { inode, time } = observe(bucket.file);
  if (!inode) return false;
  const moved = bucket.inode !== inode || bucket.touched !== time;
  bucket.inode = inode;
  bucket.touched = time;
  return moved;
}
