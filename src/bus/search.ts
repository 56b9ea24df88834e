/**
 * Search words. They are written later than the texts, by following the events, so that a send costs nothing extra.
 * One number says how far they are; a search brings them up to date first.
 */
import type { SearchKind } from "../contract/search.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { all, alone, one, run } from "../sql/procedure.ts";
import { fragment, joined, literal, type Sql, sql } from "../sql/sql.ts";
import { columnsOf, part, type RowOf } from "../sql/table.ts";
import { entries, events, messages, threads } from "../sql/tables.ts";
import { prunedEvents } from "./retention/events.ts";
import { wordsIn } from "./words.ts";

/** The number of each kind in the index. */
export const kindNumbers: Record<SearchKind, number> = { entries: 1, threads: 2, messages: 3 };

/** How much of a text can be found. */
const textLimit = 100_000;
/** A step is short, because other writes wait for it. */
const eventsAtOnce = 100;
const textAtOnce = 100_000;
const refsAtOnce = 500;

export function* forgetWords(tx: Context, kind: SearchKind, refs: readonly number[]): Procedure<void> {
  for (let at = 0; at < refs.length; at += refsAtOnce)
    yield* run(tx.search.drop(kindNumbers[kind], refs.slice(at, at + refsAtOnce)));
}

/** After a bus was copied: nothing that was there before may be found any more. */
export function* forgetAllWords(tx: Context): Procedure<void> {
  yield* tx.search.clear();
  yield* run(sql`update search_progress set event_id = 0, kind = 0, ref = 0`);
}

/** The last event whose words can be searched. */
export function* wordsReached(tx: Context): Procedure<number> {
  return (yield* one<{ event_id: number }>(
    sql`select search_progress.event_id from search_progress ${tx.forUpdate}`,
  ))!.event_id;
}

function* newestEvent(): Procedure<number> {
  const row = yield* one<{ last: number | null }>(sql`select max(events.event_id) as last from events`);
  return row?.last ?? 0;
}

/** How many events are not indexed yet, including those that cannot be taken yet because an earlier one may still appear. */
export function* wordsBehind(tx: Context): Procedure<number> {
  return Math.max(0, (yield* newestEvent()) - (yield* wordsReached(tx)));
}

const told = part(events, "event_id", "event_type", "thread_id", "message_id", "payload_json");
const toldColumns = columnsOf(told);
/** With the size of the texts to read. */
type Happened = RowOf<typeof told> & { bytes: number };

/** How many events are left, and whether it got any further. */
interface Read {
  left: number;
  moved: boolean;
}

/** Indexes a few more events. */
export function* nextWords(tx: Context): Procedure<Read> {
  yield* alone(tx, "search");
  const settled = yield* tx.settled();
  const from = yield* wordsReached(tx);
  const newest = yield* newestEvent();
  const pruned = yield* prunedEvents();
  if (from < pruned) {
    yield* nextOfOld(tx, pruned);
    return { left: Math.max(1, newest - from), moved: true };
  }
  if (settled <= from) return { left: Math.max(0, newest - from), moved: false };
  const found = yield* all<Happened>(sql`
    select ${toldColumns}, coalesce(octet_length(messages.body), 0) as bytes
    from events left join messages on messages.message_id = events.message_id
    where events.event_id > ${from} and events.event_id <= ${settled}
      and (events.message_id is not null or events.event_type = 'entry.pushed')
    order by events.event_id limit ${literal(eventsAtOnce)}`);
  const taken = fitting(found);
  const last = found.length < eventsAtOnce && taken.length === found.length;
  const to = last ? settled : taken.at(-1)!.event_id;
  yield* putMessages(
    tx,
    numbersOf(taken, ({ message_id }) => message_id),
  );
  yield* putThreads(
    tx,
    numbersOf(taken, ({ event_type, thread_id }) => (event_type === "thread.created" ? thread_id : null)),
  );
  yield* putEntries(tx, taken.filter(({ event_type }) => event_type === "entry.pushed").map(entryIn));
  yield* run(sql`update search_progress set event_id = ${to}`);
  return { left: Math.max(0, newest - to), moved: true };
}

const oldAtOnce = 20;

/**
 * [Y3] Builds the words again where retention has deleted the events of rows that are still there: walks through
 * entries, threads and messages, and then through the events that are left.
 */
function* nextOfOld(tx: Context, pruned: number): Procedure<void> {
  const at = (yield* one<{ kind: number; ref: number }>(
    sql`select search_progress.kind, search_progress.ref from search_progress`,
  ))!;
  const { refs, put } = olds[at.kind]!;
  const rows = yield* all<{ ref: number; id: string }>(sql`
    ${refs} > ${at.ref} order by 1 limit ${literal(oldAtOnce)}`);
  yield* put(tx, rows);
  const last = rows.length < oldAtOnce;
  if (last && at.kind === olds.length - 1)
    yield* run(sql`update search_progress set event_id = ${pruned}, kind = 0, ref = 0`);
  else
    yield* run(sql`
      update search_progress set kind = ${last ? at.kind + 1 : at.kind}, ref = ${last ? 0 : rows.at(-1)!.ref}`);
}

interface Old {
  refs: Sql;
  put(tx: Context, rows: readonly { ref: number; id: string }[]): Procedure<void>;
}

const numbersIn = (rows: readonly { ref: number }[]) => rows.map(({ ref }) => ref);
const olds: readonly Old[] = [
  {
    refs: fragment`select entries.entry_number as ref, entries.entry_id as id from entries where entries.entry_number`,
    *put(tx, rows) {
      const ids = rows.map(({ id }) => id);
      yield* putEntries(tx, ids);
    },
  },
  {
    refs: fragment`select threads.thread_id as ref, '' as id from threads where threads.thread_id`,
    *put(tx, rows) {
      yield* putThreads(tx, numbersIn(rows));
    },
  },
  {
    refs: fragment`select messages.message_id as ref, '' as id from messages where messages.message_id`,
    *put(tx, rows) {
      yield* putMessages(tx, numbersIn(rows));
    },
  },
];

/** As many as are read quickly; at least one. */
function fitting(events: Happened[]): Happened[] {
  let bytes = 0;
  const end = events.findIndex((event, i) => {
    bytes += Math.min(event.bytes, textLimit);
    return i > 0 && bytes > textAtOnce;
  });
  return end < 0 ? events : events.slice(0, end);
}

const numbersOf = (events: Happened[], pick: (event: Happened) => number | null) => [
  ...new Set(events.map(pick).filter((number) => number !== null)),
];
const entryIn = ({ payload_json }: Happened) =>
  String((JSON.parse(payload_json) as { entry: unknown }).entry);

interface Text {
  ref: number;
  title: string;
  body: string;
}

function* putWords(tx: Context, kind: SearchKind, texts: readonly Text[]): Procedure<void> {
  if (!texts.length) return;
  const indexed = texts.map(({ ref, title, body }) => ({
    ref,
    title: wordsIn(title),
    body: wordsIn(body.slice(0, textLimit)),
  }));
  yield* tx.search.put(kindNumbers[kind], indexed);
}

const beginning = (column: Sql) => fragment`substr(${column}, 1, ${literal(textLimit)})`;
const messageText = part(messages, "message_id", "from_agent", "summary", "body");
const messageTextColumns = columnsOf(messageText, { body: beginning(fragment`messages.body`) });

function* putMessages(tx: Context, ids: readonly number[]): Procedure<void> {
  if (!ids.length) return;
  const rows = yield* all<RowOf<typeof messageText>>(sql`
    select ${messageTextColumns} from messages where messages.message_id in (${joined(ids)})`);
  yield* putWords(
    tx,
    "messages",
    rows.map((row) => ({
      ref: row.message_id,
      title: row.summary,
      body: `${row.from_agent} ${row.body}`,
    })),
  );
}

const threadText = part(threads, "thread_id", "subject", "run_id", "task_id");
const threadTextColumns = columnsOf(threadText);

function* putThreads(tx: Context, ids: readonly number[]): Procedure<void> {
  if (!ids.length) return;
  const rows = yield* all<RowOf<typeof threadText>>(sql`
    select ${threadTextColumns} from threads where threads.thread_id in (${joined(ids)})`);
  yield* putWords(
    tx,
    "threads",
    rows.map((row) => ({ ref: row.thread_id, title: row.subject, body: `${row.run_id} ${row.task_id}` })),
  );
}

const entryText = part(entries, "entry_number", "workspace_label", "sender", "docs_json", "comments");
const entryTextColumns = columnsOf(entryText, { comments: beginning(fragment`entries.comments`) });
type EntryText = RowOf<typeof entryText>;

function* putEntries(tx: Context, ids: readonly string[]): Procedure<void> {
  if (!ids.length) return;
  const rows = yield* all<EntryText>(sql`
    select ${entryTextColumns} from entries where entries.entry_id in (${joined(ids)})`);
  const pathsOf = ({ docs_json }: EntryText) =>
    (JSON.parse(docs_json) as { path: string }[]).map(({ path }) => path).join(" ");
  yield* putWords(
    tx,
    "entries",
    rows.map((row) => ({
      ref: row.entry_number,
      title: `${row.workspace_label ?? ""} ${row.sender ?? ""}`,
      body: `${pathsOf(row)} ${row.comments}`,
    })),
  );
}
