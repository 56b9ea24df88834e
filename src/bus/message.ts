/** Messages as they are stored: writing one, reading a thread's, and collecting. */
import type { Artifact, ArtifactInput } from "../contract/artifact.ts";
import { person } from "../contract/entry.ts";
import { InboxError } from "../contract/errors.ts";
import { idOf } from "../contract/ids.ts";
import type { Kind, Message, Said } from "../contract/message.ts";
import { blank, field, fileOf, phrase } from "../contract/phrase.ts";
import { lineOf } from "../contract/safe-text.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { all, one, run, together } from "../sql/procedure.ts";
import { alike, fragment, joined, literal, nothing, Sql, sql } from "../sql/sql.ts";
import { columnsOf, initialOf, insert, type RowOf } from "../sql/table.ts";
import { messages } from "../sql/tables.ts";
import { artifactsIn, artifactsOf, attach } from "./artifact.ts";
import { hasGone } from "./ended-agent.ts";
import { addMessageEntry } from "./entry.ts" with { load: "when-called" };
import { entryOrder } from "./entry-order.ts";
import { addToOutbox, msUntil } from "./outbox.ts";

export type MessageRow = RowOf<typeof messages>;
export const messageColumns = columnsOf(messages);

export class Written {
  constructor(
    readonly row: MessageRow,
    readonly artifacts: Artifact[],
    /** Its addressee is a sub-agent that has ended. */
    readonly unread: boolean,
  ) {}

  get view(): Message {
    return messageView(this.row, this.artifacts);
  }
}

export interface Content extends Said {
  summary: string;
  artifacts?: readonly ArtifactInput[];
}

export const messageView = (row: MessageRow, artifacts: Artifact[] = []): Message => ({
  messageId: idOf("message", row.message_id),
  threadId: row.thread_id === null ? null : idOf("thread", row.thread_id),
  fromAgent: row.from_agent,
  toAgent: row.to_agent,
  kind: row.kind,
  summary: row.summary,
  body: row.body,
  payload: JSON.parse(row.payload_json),
  artifacts,
  createdAt: row.created_at,
  ...shownOf(row),
});

/** What every view of a message ends with. */
export const shownOf = (row: MessageRow) => ({
  senderVerified: row.verified === 1,
});

export interface Head {
  thread: number | null;
  from: string;
  to: string;
  kind: Kind;
  correlationId?: string;
  taskId?: string;
  expiresAt?: string;
  /** The first of several messages that one send has written. */
  copyOf?: number;
  /** Read before it is written, so that the write needs no answer: its number, and whether its addressee has finished. */
  known?: { number: number; gone: boolean };
}

/** A sender without a name gets the name of the surface, which may stand for any number of senders. */
const nobodyInParticular: ReadonlySet<string> = new Set(["cli", "mcp", "api"]);

/**
 * [M8] Whether a message answers the first of its correlation; one more by the same sender is another request. Noted when
 * it is written: the first may be gone later.
 */
function* isReply({ from, copyOf }: Head, correlationId: string): Procedure<number> {
  if (copyOf !== undefined)
    return (yield* one<{ reply: number }>(
      sql`select messages.reply from messages where messages.message_id = ${copyOf}`,
    ))!.reply;
  const first = yield* one<{ from_agent: string; reply: number }>(sql`
    select messages.from_agent, messages.reply from messages where messages.correlation_id = ${correlationId}
    order by messages.reply, messages.message_id limit 1`);
  if (!first) return 0;
  const again = first.reply === 0 && first.from_agent === from && !nobodyInParticular.has(from);
  return again ? 0 : 1;
}

/**
 * What has to be in order before a message gets its number: its channel, its correlation ([M8] needs to know who was
 * first), and the entries where it becomes one.
 */
export function orderOf({ to, correlationId }: Pick<Head, "to" | "correlationId">): string[] {
  const names = [`channel:${to}`];
  if (correlationId !== undefined) names.push(`correlation:${correlationId}`);
  if (to === person) names.push(entryOrder);
  return names;
}

/** Whether a message is one row, and nothing is written once its number is known. */
export const isWhole = (tx: Context, { to }: Head, { artifacts = [] }: Content) =>
  !tx.carry && !artifacts.length && to !== person;

export function* write(tx: Context, head: Head, content: Content, now: string): Procedure<Written> {
  yield* tx.lock(...orderOf(head));
  const { correlationId } = head;
  if (correlationId !== undefined) yield* tx.own(`correlation:${correlationId}`);
  const reply = correlationId === undefined ? 0 : yield* isReply(head, correlationId);
  const fresh = {
    thread_id: head.thread,
    from_agent: head.from,
    to_agent: head.to,
    kind: head.kind,
    summary: content.summary,
    body: content.body ?? "",
    payload_json: JSON.stringify(content.payload ?? {}),
    created_at: now,
    verified: tx.verified ? 1 : 0,
    correlation_id: correlationId ?? null,
    reply,
    expires_at: head.expiresAt ?? null,
  };
  const task =
    head.taskId === undefined && head.thread !== null
      ? sql`(select threads.task_id from threads where threads.thread_id = ${head.thread})`
      : (head.taskId ?? null);
  if (head.known && !(task instanceof Sql)) {
    const made = { ...fresh, task_id: task, message_id: head.known.number };
    yield* run(alike(insert(messages, made)));
    const row = { ...untouched, ...made };
    if (isWhole(tx, head, content)) return new Written(row, [], head.known.gone);
    return yield* completed(tx, { row, head, content, gone: head.known.gone }, now);
  }
  // Only what the database decides is asked back: twenty columns more took a seventh of a send's time.
  const made = yield* one<Pick<MessageRow, "message_id" | "task_id"> & { gone: number }>(
    alike(sql`
      ${insert(messages, { ...fresh, task_id: task })}
      returning message_id, task_id, case when ${addresseeHasGone} then 1 else 0 end as gone`),
  );
  const { gone, ...numbers } = made!;
  const row = { ...untouched, ...fresh, ...numbers };
  return yield* completed(tx, { row, head, content, gone: gone === 1 }, now);
}

/** What belongs to a message beside its row. */
function* completed(
  tx: Context,
  { row, head, content, gone }: { row: MessageRow; head: Head; content: Content; gone: boolean },
  now: string,
): Procedure<Written> {
  yield* addToOutbox(tx, { id: row.message_id, agent: head.to, expiresInMs: msUntil(row.expires_at, now) });
  const artifacts = yield* attach(row.message_id, content.artifacts ?? [], now);
  if (head.to === person) yield* addMessageEntry(tx, { row, head, content }, now);
  return new Written(row, artifacts, gone);
}

const addresseeHasGone = hasGone(fragment`messages.to_agent`);

/** A new message is neither handed over nor acked. */
const untouched = initialOf(messages);

/** A message without a proven sender that belongs to no correlation and does not expire. */
export const unanswered = { verified: 0, correlation_id: null, reply: 0, expires_at: null };

/** The messages of a thread in order, all or those that a condition picks. */
export function* messagesOf(thread: number, condition: Sql = nothing, limit = -1): Procedure<Message[]> {
  const rows = yield* all<MessageRow>(sql`
    select ${messageColumns} from messages where messages.thread_id = ${thread} ${condition}
    order by messages.message_id ${limit < 0 ? nothing : sql`limit ${literal(limit)}`}`);
  return yield* withArtifacts(rows);
}

/** All of them, in one step. */
export function* allMessagesOf(thread: number): Procedure<Message[]> {
  const [rows, artifacts] = yield* together(messageRowsOf(thread), artifactsIn(thread));
  return rows.map((row) => messageView(row, artifacts.get(row.message_id)));
}

export const messageRowsOf = (thread: number): Procedure<MessageRow[]> =>
  all<MessageRow>(
    alike(sql`
      select ${messageColumns} from messages where messages.thread_id = ${thread} order by messages.message_id`),
  );

/** The same, and of each whether it has artifacts: most threads have none, and then nobody has to look for them. */
export const messageRowsWithHint = (thread: number): Procedure<(MessageRow & { attached: number })[]> =>
  all(
    alike(sql`
      select ${messageColumns},
        exists (select 1 from artifacts where artifacts.message_id = messages.message_id) as attached
      from messages where messages.thread_id = ${thread} order by messages.message_id`),
  );

/** The newest message of one sender in a thread. */
export function* lastMessageBy(
  thread: number,
  sender: string,
  condition: Sql = nothing,
): Procedure<Message | undefined> {
  const rows = yield* all<MessageRow>(sql`
    select ${messageColumns} from messages where messages.thread_id = ${thread} and messages.from_agent = ${sender} ${condition}
    order by messages.message_id desc limit 1`);
  return (yield* withArtifacts(rows))[0];
}

export function* withArtifacts(rows: readonly MessageRow[]): Procedure<Message[]> {
  const artifacts = yield* artifactsOf(rows.map((row) => row.message_id));
  return rows.map((row) => messageView(row, artifacts.get(row.message_id)));
}

/**
 * Neither acked nor dead, for messages that are already selected by their number, thread or delivery. Written so that
 * no index of waiting messages is used: planners would walk through a whole inbox to find one message.
 */
export const open = fragment`coalesce(acked_at, dead_at) is null`;

interface Acknowledging {
  agent: string | Sql;
  names: readonly (string | Sql)[];
  which: Sql;
  now: string | Sql;
  /** The agent was shown them: this counts as a delivery. */
  seen?: boolean;
  /** The agent acks them by their numbers: a reader to which they are being handed over loses them ([B4]). */
  taken?: boolean;
  /** `from …`, if the other fields are its columns. */
  from?: Sql;
}

/** Marks messages to one of `names` as collected by the agent; returns those that were not collected before. */
export function* acknowledge(what: Acknowledging): Procedure<number[]> {
  const rows = yield* all<{ message_id: number }>(alike(sql`${acknowledging(what)} returning message_id`));
  return rows.map((row) => row.message_id).sort((a, b) => a - b);
}

/** The same for a caller that does not need to know which ones. */
export function acknowledging({ agent, names, which, now, seen, taken, from = nothing }: Acknowledging): Sql {
  const lost = seen || taken ? sql`, delivery_id = null` : nothing;
  const shown = seen
    ? sql`, handed = handed + 1, first_handed_at = coalesce(first_handed_at, ${now})`
    : nothing;
  return alike(sql`update messages set acked_at = ${now}, acked_by = ${agent}, hidden_until = null ${lost} ${shown} ${from}
    where ${open} and (to_agent || '') in (${joined(names)}) and ${which}`);
}

/** The summary is never empty: where none was given it is the first line of the body. */
export function contentOf(input: Said & { artifacts: ArtifactInput[] }): Content {
  const summary = input.summary ?? firstLine(input.body ?? "");
  if (!summary)
    throw new InboxError("invalid_input", "the message is empty: give a summary or a body", {
      hint: phrase`add ${field("summary", blank("one line"))}, or ${fileOf("body")}`,
    });
  return { ...input, summary };
}

/** Of a message that is one text, without a summary of its own: the input field `key`. */
export function textContent(body: string, payload: Said["payload"], key: string): Content {
  const summary = firstLine(body);
  if (!summary) throw new InboxError("invalid_input", phrase`${field(key)} must not be blank`);
  return { summary, body, payload, artifacts: [] };
}

export function firstLine(text: string): string {
  const line = lineOf(text.trimStart()).trimEnd();
  if (line.length <= 120) return line;
  // Never cuts a character in two.
  const end = line.charCodeAt(118) >= 0xd800 && line.charCodeAt(118) < 0xdc00 ? 118 : 119;
  return `${line.slice(0, end)}…`;
}

export function sameContent(message: Message, content: Content): boolean {
  const whole = (of: { [Field in keyof Content]: Content[Field] | null }) =>
    JSON.stringify([
      of.summary,
      of.body ?? "",
      of.payload ?? {},
      (of.artifacts ?? []).map(({ path, kind, metadata }) => [path, kind, metadata]),
    ]);
  return whole(message) === whole(content);
}
