/**
 * [U5] The journal: the person's inbox as lines of a file. The table is authoritative and the journal is derived from
 * it, so no call waits for it, and nothing is lost with it. A process that has changed entries updates it: missing
 * lines are appended after the last one, which shows how far the journal is. If a process died before it wrote its
 * line, the next one writes it. A file beside it says up to where erased entries were removed.
 */
import { join } from "node:path";
import { entryView } from "../bus/entry.ts";
import { entriesAfter, entryNumber, erasedAfter, erasedAmong } from "../bus/entry-journal.ts";
import type { Engine } from "../engines/engine.ts";
import { locked } from "../platform/file-lock.ts";
import { makeOwnFolder, readOwn, replaceOwn } from "../platform/own-files.ts";
import { addLines, askedAtOnce, idsIn, keepLines, lastLine } from "./file.ts";
import { idIn, journalLine } from "./line.ts";
import { idsInShared, isShared, removeFromShared, type SharedJournal } from "./shared.ts";

export interface Differences {
  /** How many entries have no line. */
  missing: number;
  /** How many lines are of entries that were erased. */
  erased: number;
  /** The same in the file that databases shared. */
  erasedInShared: number;
}

export interface Journal {
  /** Updates it. Callers that come while this is being done share the next round. */
  sync(): Promise<void>;
  /** The same, after checking every line. */
  repair(): Promise<void>;
  /** Changes nothing. */
  differences(): Promise<Differences>;
}

/** `former` is the file that this database shared with others, if it may have lines of it. */
export function openJournal(folder: string, engine: Engine, former?: SharedJournal): Journal {
  const path = join(folder, "entries.jsonl");
  const markPath = join(folder, "entries.mark");
  const lockPath = join(folder, "entries.lock");

  const sharedFile = () => (former && isShared(former, folder) ? former : undefined);

  const alone = async (work: () => Promise<void>) => {
    makeOwnFolder(folder);
    await locked(lockPath, work);
  };

  /** A line for each entry after that number, except those that have one. */
  async function addAfter(number: number, there: ReadonlySet<string> = new Set()): Promise<void> {
    for (let after = number; ; ) {
      const rows = await engine.read(() => entriesAfter(after));
      if (!rows.length) return;
      const missing = rows.filter(({ entry_id }) => !there.has(entry_id));
      addLines(
        path,
        missing.map((row) => journalLine(entryView(row))),
      );
      after = rows.at(-1)!.entry_number;
    }
  }

  /** The position of the journal's last line in the table; undefined if the line does not tell. */
  async function reached(): Promise<number | undefined> {
    const last = lastLine(path);
    if (!last) return 0;
    const id = idIn(last);
    return id === undefined ? undefined : engine.read(() => entryNumber(id));
  }

  async function clean(): Promise<void> {
    const { ids, last } = await engine.read(() => erasedAfter(numberIn(markPath) ?? 0));
    if (!ids.length) return;
    const erased = new Set(ids);
    await without(erased);
    const other = sharedFile();
    if (other) await removeFromShared(other, engine, erased);
    replaceOwn(markPath, `${last}\n`);
  }

  const without = (ids: ReadonlySet<string>) =>
    ids.size ? keepLines(path, (line) => !ids.has(idIn(line) ?? "")) : Promise.resolve();

  /**
   * Lines of entries that the table never had are kept: only entries that were erased here are removed. The mark comes
   * last: without one, the next process begins again.
   */
  async function checkAll(): Promise<void> {
    const { last } = await engine.read(() => erasedAfter(0));
    const there = await idsIn(path);
    await without(await erasedOf(engine, [...there]));
    await addAfter(0, there);
    const other = sharedFile();
    if (other) await removeFromShared(other, engine);
    replaceOwn(markPath, `${last}\n`);
  }

  async function catchUp(): Promise<void> {
    const number = await reached();
    // Without a mark nobody has removed this bus's lines from the file that it shared.
    if (number === undefined || (numberIn(markPath) === undefined && sharedFile())) return checkAll();
    await addAfter(number);
    await clean();
  }

  const rounds = shared(() => alone(catchUp));
  return {
    sync: rounds,
    repair: () => alone(checkAll),
    differences: () => differencesIn(path, engine, sharedFile()),
  };
}

async function differencesIn(
  path: string,
  engine: Engine,
  other: SharedJournal | undefined,
): Promise<Differences> {
  const there = await idsIn(path);
  const erased = (await erasedOf(engine, [...there])).size;
  const erasedInShared = other ? (await erasedOf(engine, await idsInShared(other))).size : 0;
  let missing = 0;
  for (let after = 0; ; ) {
    const rows = await engine.read(() => entriesAfter(after));
    if (!rows.length) return { missing, erased, erasedInShared };
    missing += rows.filter(({ entry_id }) => !there.has(entry_id)).length;
    after = rows.at(-1)!.entry_number;
  }
}

function numberIn(path: string): number | undefined {
  try {
    const number = Number(readOwn(path) ?? "none");
    return Number.isSafeInteger(number) ? number : undefined;
  } catch {
    return undefined;
  }
}

async function erasedOf(engine: Engine, ids: readonly string[]): Promise<Set<string>> {
  const erased = new Set<string>();
  for (let at = 0; at < ids.length; at += askedAtOnce)
    for (const id of await engine.read(() => erasedAmong(ids.slice(at, at + askedAtOnce)))) erased.add(id);
  return erased;
}

/** One round at a time; callers that come during one share the next. */
function shared(round: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = () => {
    running = round().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (!running) return begin();
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return begin();
      });
    return next;
  };
}
