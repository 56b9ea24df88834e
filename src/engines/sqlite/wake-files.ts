/** The files that signal commits: created, watched, and polled if they cannot be watched. wake.ts explains their use. */
import type { FSWatcher } from "node:fs";
import { makeOwnFolderInside, openOwnToAppend } from "../../platform/own-files.ts";
import { fs } from "../../platform/system.ts";
import { tellsAll, watch } from "../../platform/watch.ts";

const pollMs = 100;
const againMs = 5;

interface Bucket {
  file: string;
  listeners: Set<() => void>;
  watcher?: FSWatcher;
  inode: number;
  touched: number;
  /** The data version for which its listeners were last woken. */
  version: number;
  again?: Timer;
}

export class WakeFiles {
  /** Why the database could not be asked when it was asked last; undefined where it could. */
  failure: unknown;
  readonly #buckets = new Map<string, Bucket>();
  #pollTimer: Timer | undefined;

  constructor(
    private readonly folder: string,
    private readonly dataVersion: () => number,
  ) {}

  get size(): number {
    return this.#buckets.size;
  }

  listen(name: string, listener: () => void): void {
    let bucket = this.#buckets.get(name);
    if (!bucket) {
      bucket = {
        file: `${this.folder}/${name}`,
        listeners: new Set(),
        inode: 0,
        touched: 0,
        version: this.dataVersion(),
      };
      this.#attach(bucket);
      this.#buckets.set(name, bucket);
    }
    bucket.listeners.add(listener);
  }

  unlisten(name: string, listener: () => void): void {
    const bucket = this.#buckets.get(name);
    bucket?.listeners.delete(listener);
    if (!bucket || bucket.listeners.size) return;
    bucket.watcher?.close();
    clearTimeout(bucket.again);
    this.#buckets.delete(name);
    if (this.#buckets.size) return;
    clearInterval(this.#pollTimer);
    this.#pollTimer = undefined;
  }

  notifyAll(): void {
    for (const bucket of this.#buckets.values()) notify(bucket);
  }

  /** Whether a file was deleted or replaced: then writes of other processes no longer wake this one. */
  isDeaf(): boolean {
    for (const bucket of this.#buckets.values()) if (inodeOf(bucket.file) !== bucket.inode) return true;
    return false;
  }

  /** Creates such files again. */
  repair(): void {
    for (const bucket of this.#buckets.values())
      if (inodeOf(bucket.file) !== bucket.inode) this.#attach(bucket);
  }

  /** Creates and watches a bucket's file. If that is not possible, the timers still notice every change. */
  #attach(bucket: Bucket): void {
    const { closeSync } = fs();
    bucket.watcher?.close();
    bucket.watcher = undefined;
    try {
      this.dataVersion(); // If the database is gone, nothing is created beside it.
      makeOwnFolderInside(this.folder);
      closeSync(openOwnToAppend(bucket.file));
      remember(bucket);
      if (!tellsAll()) this.#poll();
      else if (this.#pollTimer) return;
      bucket.watcher = watch(bucket.file, () => this.#onEvent(bucket));
      bucket.watcher.on("error", () => this.#poll());
    } catch {
      this.#poll();
    }
  }

  #poll(): void {
    this.#pollTimer ??= setInterval(() => {
      for (const bucket of this.#buckets.values()) {
        try {
          if (remember(bucket)) this.#onEvent(bucket);
        } catch {
          // Deleted: the slow check creates it again.
        }
      }
    }, pollMs);
  }

  /**
   * A file event means something only if another process has committed since. The runtime drops an event that follows
   * another within a millisecond, so for a moment after each event the file is checked again: also after our own,
   * which another process's may have followed.
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
    if (news || event) {
      clearTimeout(bucket.again);
      bucket.again = setTimeout(() => {
        if (bucket.listeners.size) this.#onEvent(bucket, false);
      }, againMs);
    }
    if (news) notify(bucket);
  }
}

function notify({ listeners }: Bucket): void {
  for (const listener of listeners) listener();
}

/** True if the file was replaced, or touched since. */
function remember(bucket: Bucket): boolean {
  const { ino, mtimeMs } = fs().statSync(bucket.file);
  const moved = bucket.inode !== ino || bucket.touched !== mtimeMs;
  bucket.inode = ino;
  bucket.touched = mtimeMs;
  return moved;
}

function inodeOf(file: string): number | undefined {
  try {
    return fs().statSync(file).ino;
  } catch {
    return undefined; // missing, or not a place for a file
  }
}
