/**
 * [U5] The journal: the person's inbox as lines of a file. The table is the truth and the journal its projection, so nobody
 * waits for it, and nothing is lost with it. Whoever changed entries brings it up to date: what is missing comes after the
 * last line that is there, which tells by itself how far the journal is. A process that died before it wrote its line has
 * left that to the next. How far it was cleaned of erased entries stands beside it.
 */
import { join } from "node:path";
import { entryView } from "../bus/entry.ts";
import { entriesAfter, entryNumber, erasedAfter, erasedAmong } from "../bus/entry-journal.ts";
import type { Engine } from "../engines/engine.ts";
import { locked } from "../platform/file-lock.ts";
import { makeOwnFolder, readOwn, replaceOwn } from "../platform/own-files.ts";
import { addLines, keepLines, lastLine, linesIn } from "./file.ts";
import { idIn, journalLine } from "./line.ts";

const askedAtOnce = 500;

export interface Journal {
  /** Brings it up to date. Those who ask while it is being done share the next round. */
  sync(): Promise<void>;
  /** The same, after a look at every line. */
  repair(): Promise<void>;
  /** How many entries have no line, and how many lines are of entries that were erased. Changes nothing. */
  differences(): Promise<{ missing: number; erased: number }>;
}

export function openJournal(folder: string, engine: Engine): Journal {
  const path = join(folder, "entries.jsonl");
  const markPath = join(folder, "entries.mark");
  const lockPath = join(folder, "entries.lock");

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

  /** Where the journal's last line stands in the table; undefined if that does not say. */
  async function reached(): Promise<number | undefined> {
    const last = lastLine(path);
    if (!last) return 0;
    const id = idIn(last);
    return id === undefined ? undefined : engine.read(() => entryNumber(id));
  }

  async function clean(): Promise<void> {
    const { ids, last } = await engine.read(() => erasedAfter(numberIn(markPath) ?? 0));
    if (!ids.length) return;
    await without(new Set(ids));
    replaceOwn(markPath, `${last}\n`);
  }

  const without = (ids: ReadonlySet<string>) =>
    ids.size ? keepLines(path, (line) => !ids.has(idIn(line) ?? "")) : Promise.resolve();

  /** Lines of entries that the table never had stay: only what was erased here goes. */
  async function checkAll(): Promise<void> {
    const { last } = await engine.read(() => erasedAfter(0));
    const there = await idsIn(path);
    await without(await erasedOf(engine, [...there]));
    await addAfter(0, there);
    replaceOwn(markPath, `${last}\n`);
  }

  async function differences(): Promise<{ missing: number; erased: number }> {
    const there = await idsIn(path);
    const erased = (await erasedOf(engine, [...there])).size;
    let missing = 0;
    for (let after = 0; ; ) {
      const rows = await engine.read(() => entriesAfter(after));
      if (!rows.length) return { missing, erased };
      missing += rows.filter(({ entry_id }) => !there.has(entry_id)).length;
      after = rows.at(-1)!.entry_number;
    }
  }

  async function catchUp(): Promise<void> {
    const number = await reached();
    if (number === undefined) return checkAll();
    await addAfter(number);
    await clean();
  }

  const rounds = shared(() => alone(catchUp));
  return { sync: rounds, repair: () => alone(checkAll), differences };
}

function numberIn(path: string): number | undefined {
  try {
    const number = Number(readOwn(path) ?? "none");
    return Number.isSafeInteger(number) ? number : undefined;
  } catch {
    return undefined;
  }
}

async function idsIn(path: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const line of linesIn(path)) {
    const id = idIn(line);
    if (id !== undefined) ids.add(id);
  }
  return ids;
}

async function erasedOf(engine: Engine, ids: readonly string[]): Promise<Set<string>> {
  const erased = new Set<string>();
  for (let at = 0; at < ids.length; at += askedAtOnce)
    for (const id of await engine.read(() => erasedAmong(ids.slice(at, at + askedAtOnce)))) erased.add(id);
  return erased;
}

/** One round at a time; whoever comes during one gets the next, together with the others who came. */
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
