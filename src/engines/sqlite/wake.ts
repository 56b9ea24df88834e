/**
 * Wake-ups. Within a process a listener is called. Across processes the writer touches a file after its commit, and
 * waiting processes watch that file. There are 1,024 files for threads and agents, chosen by a hash of the topic, so that a
 * write wakes hardly anybody whom it does not concern, and one for each of the few topics that many processes wait for. A
 * waiter creates its file before it reads, and a writer looks for files after its commit: whichever comes first, the
 * other sees it. The write-ahead log itself is not a signal, because
 * it is written before the commit is visible.
 *
 * Within a process topics are exact, and the process's own touches return as file events without news: SQLite's data
 * version, which only commits of other connections change, tells the two apart. So with ten thousand waiters in a hub, a
 * write costs only as much as those it concerns.
 *
 * A writer may die between its commit and its touch. So it extends one file before the commit and another one after the
 * touch. While the difference of their lengths stays the same, no writer has died, and a waiter need not read again
 * because of a write to another topic. A commit without either comes from another program, and every waiter reads.
 *
 * If a file is deleted or replaced, its watcher gets no more events and no error; and inotify allows 128 instances per
 * user. So one slow timer per process checks every second (`changed`), and if watching fails, files are polled.
 */
import { openNap } from "../../platform/nap.ts" with { load: "when-called" };
import type { Nap } from "../../platform/nap.ts";
import { isOwnFolder } from "../../platform/own-files.ts";
import { append, fs, type Observed, observer, ring } from "../../platform/system.ts";
import { everything } from "../../sql/topics.ts";
import type { Subscription } from "../engine.ts";
import { type Listener, Listeners } from "../listeners.ts";
import { Bell } from "../subscription.ts";
import { WakeFiles } from "./wake-files.ts";

const slowCheckMs = 1000;
/** Linux takes the times of files from a clock that advances every 1 to 10 ms. */
const coarseMs = 25;

export interface Wake {
  /** Called before a commit; the returned function is called after it, successful or not, with the topics it concerned. */
  announce(): (topics: Set<string>) => void;
  subscribe(topics: readonly string[]): Subscription;
  /** The sleeping waiters of this process that would do something with what is written under these topics. */
  takersOf(topics: Iterable<string>): Bell[];
  close(): void;
}

/**
 * The two files whose lengths tell whether a writer died between its commit and its touch. Their names belong to this way
 * of choosing files: what a program with other files writes counts as a foreign program's, and is found within a second.
 */
const countersIn = (folder: string) => ({ before: `${folder}/begun-1024`, after: `${folder}/ended-1024` });

interface Bus {
  folder: string;
  /** The file that commits are written to. */
  log: string;
  /** Grows with every commit of another connection, and may throw. */
  dataVersion: () => number;
  /** This process does nothing else while it waits. */
  alone?: boolean;
}

export function openWake({ alone, ...bus }: Bus): Wake {
  const { folder, dataVersion } = bus;
  // Opened once, with the first watch: all files are watched in the same way.
  let opened: { nap: Nap | undefined } | undefined;
  const watchExactly = (file: string, listener: () => void) => {
    opened ??= { nap: alone ? openNap() : undefined };
    return opened.nap?.watch(file, listener);
  };
  const files = new WakeFiles(folder, dataVersion, watchExactly, () => {
    stopSlowCheck?.();
    stopSlowCheck = undefined;
  });
  const local = new Listeners();
  const { before, after } = countersIn(folder);
  let stopSlowCheck: (() => void) | undefined;

  function listen(topic: string, listener: Listener): void {
    files.listen(bucketOf(topic), listener);
    local.add(topic, listener);
    stopSlowCheck ??= startSlowCheck({ ...bus, files, nap: opened?.nap });
  }

  function unlisten(topic: string, listener: Listener): void {
    local.remove(topic, listener);
    files.unlisten(bucketOf(topic), listener);
  }

  const source = {
    leave(bell: Bell) {
      for (const topic of bell.topics) unlisten(topic, bell);
    },
    get failure() {
      return files.failure;
    },
  };

  return {
    announce() {
      const watched = isOwnFolder(folder); // otherwise no process has ever waited here
      if (watched) append(before);
      return (topics) => {
        for (const topic of topics) local.ring(topic);
        if (!topics.size || !isOwnFolder(folder)) return void (watched && append(after));
        for (const name of watchedOf(folder, topics)) ring(`${folder}/${name}`);
        if (watched) append(after);
      };
    },

    subscribe(topics) {
      const bell = new Bell(source, topics);
      for (const topic of topics) listen(topic, bell);
      return bell;
    },

    takersOf(topics) {
      const found: Bell[] = [];
      for (const topic of topics)
        for (const listener of local.of(topic))
          if (listener instanceof Bell && listener.take && !found.includes(listener)) found.push(listener);
      return found;
    },

    close() {
      for (const [topic, listener] of local.all()) unlisten(topic, listener);
      files.closeIdle();
    },
  };
}

interface Watched extends Bus {
  files: WakeFiles;
  nap?: Nap;
}

/** Checks every second for commits that were not announced, and for files that are gone. The returned function ends it. */
function startSlowCheck({ folder, log: logFile, dataVersion, files, nap }: Watched): () => void {
  const { before, after } = countersIn(folder);
  const [beforeNow, afterNow, logNow] = [observer(before), observer(after), observer(logFile)];
  const counts = () => {
    const begun = beforeNow().size;
    return { begun, missing: begun - afterNow().size };
  };
  let checked = performance.now();
  let last = { log: logNow(), certain: false, version: dataVersion(), ...counts() };

  /** True if there was a commit whose writer did not finish announcing it. */
  function lostOne(log: Observed, certain: boolean): boolean {
    const { begun, missing } = counts();
    const failed = files.failure !== undefined;
    const strange = failed || begun <= last.begun || missing > last.missing || files.isDeaf();
    // Mostly somebody else was written to, and whoever wrote said so to the end. The version stays as it was then: at worst
    // somebody looks once for nothing.
    if (!strange) {
      last = { ...last, log, certain, begun, missing };
      return false;
    }
    // The database is checked first: if it is gone, nothing may be created beside it.
    const version = dataVersion();
    files.failure = undefined;
    files.repair();
    const lost = failed || version !== last.version;
    last = { log, certain, version, begun, missing };
    return lost;
  }

  /** Usually nothing was written, and the file's size and time are enough to know. */
  function check(): void {
    checked = performance.now();
    const now = logNow();
    if (now === last.log && last.certain && files.failure === undefined) return;
    // A file's time is coarse: what was written just now may be followed by more with the same time.
    const certain = Math.abs(Date.now() - now.time) > coarseMs;
    try {
      if (!lostOne(now, certain)) return;
    } catch (error) {
      files.failure = error;
    }
    files.notifyAll();
  }

  const timer = setInterval(() => {
    // After a nap it is overdue, but the nap has just checked.
    if (performance.now() - checked > slowCheckMs / 2) check();
  }, slowCheckMs);
  const endNaps = nap?.begin(() => {
    if (performance.now() - checked >= slowCheckMs) check();
    return checked + slowCheckMs;
  });
  return () => {
    clearInterval(timer);
    endNaps?.();
  };
}

/** With more files than this, listing the folder takes less time than looking for each. */
const few = 64;

/** The files of these topics; of many only those that are there, as nobody waits for the others. */
function watchedOf(folder: string, topics: ReadonlySet<string>): Iterable<string> {
  const names = new Set<string>();
  for (const topic of topics) names.add(bucketOf(topic));
  if (names.size <= few) return names;
  try {
    return fs()
      .readdirSync(folder)
      .filter((name) => names.has(name));
  } catch {
    return names; // the folder has gone meanwhile, or may not be listed
  }
}

/** FNV-1a; any hash would do, but all programs with the same counters must use the same. */
function bucketOf(topic: string): string {
  if (topic === everything) return "all";
  // One of the few that many wait for. It shares its file with nobody: each write to a thread or an agent that did would wake all of them.
  if (!topic.includes(":")) return topic;
  let hash = 0x811c9dc5;
  for (let i = 0; i < topic.length; i++) hash = Math.imul(hash ^ topic.charCodeAt(i), 0x01000193);
  return ((hash >>> 8) & 1023).toString(16).padStart(3, "0");
}
