/** [U8] Hits for the words, as they are now: what was deleted since is left out. */
import { idOf } from "../../contract/ids.ts";
import type { SearchHit, SearchKind } from "../../contract/search.ts";
import type { Context, Match, Matches, Procedure, Wanted } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { fragment, joined, literal, sql } from "../../sql/sql.ts";
import { columnsOf, part, type RowOf } from "../../sql/table.ts";
import { messages } from "../../sql/tables.ts";
import { unexpired } from "../channel.ts";
import { type EntryRow, entryColumns, entryView } from "../entry.ts";
import { kindNumbers } from "../search.ts";
import { type ThreadRow, threadColumns } from "../thread.ts";
import { and, visible } from "../visible.ts";
import { snippetOf } from "../words.ts";

export type { Match };

/** The maximum number of texts to rank against each other, the newest ones. */
export const among = 1000;
/** How much of a long text is searched for the snippet. */
const lookedAt = 100_000;

type Hit = Omit<SearchHit, "score"> & { ref: number };
type Reader = (tx: Context, refs: readonly number[], words: readonly string[]) => Procedure<Hit[]>;

/** The hits of one kind of text. */
export const matches = (
  tx: Context,
  kind: SearchKind,
  words: readonly string[],
  wanted: Wanted,
): Procedure<Matches> => tx.search.match(kindNumbers[kind], words, wanted);

/** Texts with the exact word come before texts that have only longer words; then the score decides. */
export const scoreOf = ({ exact, score }: Match) => exact + score / (1 + score);

export function* hitsOf(
  tx: Context,
  kind: SearchKind,
  found: readonly Match[],
  words: readonly string[],
): Procedure<SearchHit[]> {
  const scores = new Map(found.map((match) => [match.ref, scoreOf(match)]));
  const hits = yield* readers[kind](tx, [...scores.keys()], words);
  const byRef = new Map(hits.map(({ ref, ...hit }) => [ref, { ...hit, score: scores.get(ref)! }]));
  return found.flatMap(({ ref }) => byRef.get(ref) ?? []);
}

/** A message to the person is also an entry, and is listed once. Hits with the same rank and time keep their order. */
export function bestOf(hits: readonly SearchHit[], limit: number): SearchHit[] {
  const entries = new Set(hits.map((hit) => (hit.kind === "entries" ? hit.messageId : null)));
  return hits
    .filter((hit) => hit.kind !== "messages" || !entries.has(hit.messageId))
    .sort((a, b) => b.score - a.score || b.ts - a.ts)
    .slice(0, limit);
}

const readers: Record<SearchKind, Reader> = { entries: entriesOf, threads: threadsOf, messages: messagesOf };

function* entriesOf(tx: Context, refs: readonly number[], words: readonly string[]): Procedure<Hit[]> {
  const rows = yield* all<EntryRow>(sql`
    select ${entryColumns} from entries where entries.entry_number in (${joined(refs)}) and entries.deleted_at is null ${and(visible.entries(tx))}`);
  return rows.map((row) => {
    const { id, ts, workspaceLabel, sender, docs, comments, threadId, messageId } = entryView(row);
    const text = `${comments.slice(0, lookedAt)} ${docs.map(({ path }) => path).join(" ")}`;
    return {
      ref: row.entry_number,
      kind: "entries",
      id,
      title: workspaceLabel ?? sender ?? "",
      snippet: snippetOf(text, words),
      ts,
      entryId: id,
      threadId,
      messageId,
      channel: null,
      sender,
    };
  });
}

function* threadsOf(tx: Context, refs: readonly number[], words: readonly string[]): Procedure<Hit[]> {
  const rows = yield* all<ThreadRow>(
    sql`select ${threadColumns} from threads where threads.thread_id in (${joined(refs)}) ${and(visible.threads(tx))}`,
  );
  return rows.map((row) => {
    const id = idOf("thread", row.thread_id);
    return {
      ref: row.thread_id,
      kind: "threads",
      id,
      title: row.subject,
      snippet: snippetOf(row.subject, words),
      ts: Date.parse(row.created_at),
      entryId: null,
      threadId: id,
      messageId: null,
      channel: null,
      sender: row.created_by,
    };
  });
}

const letter = part(
  messages,
  ...(["message_id", "thread_id", "from_agent", "to_agent", "summary", "body", "created_at"] as const),
);
const letterColumns = columnsOf(letter, {
  body: fragment`substr(messages.body, 1, ${literal(lookedAt)})`,
});

function* messagesOf(tx: Context, refs: readonly number[], words: readonly string[]): Procedure<Hit[]> {
  const now = yield* tx.clock();
  const rows = yield* all<RowOf<typeof letter>>(sql`
    select ${letterColumns} from messages where messages.message_id in (${joined(refs)}) and ${unexpired(now)} ${and(visible.messages(tx))}`);
  return rows.map((row) => {
    const id = idOf("message", row.message_id);
    return {
      ref: row.message_id,
      kind: "messages",
      id,
      title: row.summary,
      snippet: snippetOf(row.body || row.summary, words),
      ts: Date.parse(row.created_at),
      entryId: null,
      threadId: row.thread_id === null ? null : idOf("thread", row.thread_id),
      messageId: id,
      channel: row.to_agent,
      sender: row.from_agent,
    };
  });
}
