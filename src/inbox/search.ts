/**
 * [U8] Searching: first the words are brought up to date, for at most as long as a person does not notice; then they
 * are searched in short steps. Searches take turns, and other calls are served between the steps.
 */
import { among, bestOf, hitsOf, type Match, matches, scoreOf } from "../bus/procedures/search-find.ts";
import { nextWords, wordsBehind, wordsReached } from "../bus/search.ts";
import { askedIn } from "../bus/words.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import { type SearchHit, type SearchKind, searchKinds } from "../contract/search.ts";
import type { Engine, Work } from "../engines/engine.ts";
import { ownWatch } from "../platform/own-watch.ts";

const catchUpWaitMs = 500;
/** How often the time is checked, and how much of it one check may count. */
const [lookMs, longestMs] = [25, 100];
/** How long other calls may be delayed by all searches together, and by one step. */
const turnMs = 1;
/** Texts that are read in one step: they may be long. */
const textsAtOnce = 10;

export async function search(
  engine: Engine,
  { q, limit, kinds = [...searchKinds] }: ParsedOf<"search.find">,
): Promise<OutputOf<"search.find">> {
  // If nothing can be written now, the answer says what was not searched.
  const wait = timeOf(catchUpWaitMs);
  await Promise.race([catchUp(engine, catchUpWaitMs).catch(() => {}), wait.over]);
  wait.stop();
  const { behind, restricted } = await engine.read(function* (tx) {
    return { behind: yield* wordsBehind(tx), restricted: tx.viewer !== undefined };
  });
  const words = askedIn(q);
  const enoughHits = limit * 2;
  const hits: SearchHit[] = [];
  if (words.length)
    for (const kind of searchKinds.filter((one) => kinds.includes(one))) {
      // [X10] A caller may be allowed to see only a part of the hits: then more texts are searched.
      const found = await newest(engine, kind, words, restricted ? among : enoughHits);
      let left = enoughHits;
      for (let at = 0; at < found.length && left > 0; at += textsAtOnce) {
        const some = found.slice(at, at + textsAtOnce);
        const seen = await inTurn(engine, (tx) => hitsOf(tx, kind, some, words));
        hits.push(...seen);
        left -= seen.length;
      }
    }
  return { hits: bestOf(hits, limit), complete: behind === 0, behind };
}

/** The best of the newest texts that have the words: part by part, until there are enough to compare. */
async function newest(
  engine: Engine,
  kind: SearchKind,
  words: readonly string[],
  best: number,
): Promise<Match[]> {
  const all: Match[] = [];
  let part: number | undefined;
  do {
    const wanted = { among, best, part };
    const { found, next } = await inTurn(engine, (tx) => matches(tx, kind, words, wanted));
    all.push(...found);
    part = next;
  } while (part !== undefined && all.length < among);
  return all.sort((a, b) => scoreOf(b) - scoreOf(a) || b.ref - a.ref).slice(0, best);
}

interface Turns {
  last: Promise<unknown>;
  since: number;
}

/** Keyed by what all views of one engine share: a caller's view of it (access.ts) is made for each call. */
const turns = new WeakMap<Engine["close"], Turns>();

/** One step at a time for all searches, and every few milliseconds other calls get their turn. */
function inTurn<T>(engine: Engine, step: Work<T>): Promise<T> {
  const taking = turns.get(engine.close) ?? { last: Promise.resolve(), since: 0 };
  turns.set(engine.close, taking);
  const mine = taking.last.then(async () => {
    if (performance.now() - taking.since > turnMs) {
      await new Promise((done) => setImmediate(done));
      taking.since = performance.now();
    }
    return engine.read(step);
  });
  taking.last = mine.catch(() => {});
  return mine;
}

/** A limit on the time in which this process could run: being suspended must not shorten the answer. */
function timeOf(ms: number) {
  const ended = Promise.withResolvers<void>();
  const watch = ownWatch(longestMs);
  let isOver = false;
  const timer = setInterval(() => {
    isOver = watch() >= ms;
    if (isOver) ended.resolve();
  }, lookMs);
  return { over: ended.promise, isOver: () => isOver, stop: () => clearInterval(timer) };
}

/** In small steps, so that other calls get their turn; false if there was not enough time. */
export async function catchUp(engine: Engine, withinMs: number): Promise<boolean> {
  const time = timeOf(withinMs);
  try {
    let left = await engine.read(wordsBehind);
    while (left > 0 && !time.isOver()) {
      const read = await engine.write(nextWords, { repeatable: true });
      ({ left } = read);
      if (!read.moved) break; // an earlier event is not committed yet
      await new Promise((done) => setTimeout(done));
    }
    return left === 0;
  } finally {
    time.stop();
  }
}

/** Waits until the words of an event, and of all before it, can be searched; false if an earlier one is not committed yet. */
export async function catchUpTo(engine: Engine, event: number, rest: Rest): Promise<boolean> {
  for (;;) {
    if ((await engine.read(wordsReached)) >= event) return true;
    if (!(await rest(() => engine.write(nextWords, { repeatable: true }))).moved) return false;
  }
}

/** Does a step, then leaves other calls as much time as it took. */
export type Rest = <T>(step: () => Promise<T>) => Promise<T>;
