/** The channel view of a message, and which messages of a channel can be seen at a given time. */
import type { ChannelMessage } from "../contract/channel-message.ts";
import { InboxError } from "../contract/errors.ts";
import { idOf } from "../contract/ids.ts";
import type { Mail } from "../contract/mail.ts";
import type { Procedure } from "../sql/procedure.ts";
import { one } from "../sql/procedure.ts";
import { type Sql, sql } from "../sql/sql.ts";
import { isWaiting } from "../sql/walk.ts";
import { firstLine, type MessageRow, messageColumns, shownOf } from "./message.ts";

/** The maximum size of a page, so that a reader of big messages does not block all other callers. */
export const pageBytes = 4 * 1024 * 1024;

const contentOfRow = (row: MessageRow) => row.body || row.summary;
/** A summary that was only taken from the body is not shown as well. */
const hasOwnSummary = ({ body, summary }: MessageRow) => body !== "" && summary !== firstLine(body);
const statusOf = (row: MessageRow) => (row.dead_at ? "dead" : row.acked_at ? "acked" : "pending");
const threadOf = (row: MessageRow) => (row.thread_id === null ? null : idOf("thread", row.thread_id));

export const channelView = (row: MessageRow): ChannelMessage => ({
  id: row.message_id,
  channel: row.to_agent,
  sender: row.from_agent,
  content: contentOfRow(row),
  ...(hasOwnSummary(row) && { summary: row.summary }),
  status: statusOf(row),
  correlationId: row.correlation_id,
  taskId: row.task_id,
  metadata: JSON.parse(row.payload_json),
  createdAt: row.created_at,
  ackedAt: row.acked_at,
  expiresAt: row.expires_at,
  threadId: threadOf(row),
  kind: row.kind,
  ...shownOf(row),
});

export const mailView = (row: MessageRow): Mail => ({
  id: row.message_id,
  senderId: row.from_agent,
  message: contentOfRow(row),
  ...(hasOwnSummary(row) && { summary: row.summary }),
  createdAt: row.created_at,
  threadId: threadOf(row),
  kind: row.kind,
  correlationId: row.correlation_id,
  metadata: JSON.parse(row.payload_json),
  redelivered: row.handed > 0,
  ...shownOf(row),
});

/** [M5] Visible while it has not expired. */
export const unexpired = (now: Sql | string) =>
  sql`(messages.expires_at is null or messages.expires_at > ${now})`;

/** The number of manual deliveries without an ack after which a message is a dead letter. */
const lapseLimit = 5;
const lapseReason = `not acknowledged after ${lapseLimit} deliveries`;

/**
 * [B3] It has become a dead letter because its time is over, but this is not stored yet: the next write to its inbox
 * stores it.
 */
export const doomed = (
  now: Sql | string,
) => sql`messages.manual = 1 and messages.acked_at is null and messages.dead_at is null
  and messages.lapses >= ${lapseLimit - 1} and messages.hidden_until <= ${now}`;

/** The row as it is at a given time. */
export function aged(row: MessageRow, now: string): MessageRow {
  const over = row.manual === 1 && !row.acked_at && !row.dead_at && row.lapses >= lapseLimit - 1;
  if (!over || row.hidden_until === null || row.hidden_until > now) return row;
  return { ...row, dead_at: row.hidden_until, dead_reason: lapseReason, lapses: row.lapses + 1 };
}

/** Waiting for its addressee: neither acked nor dead nor expired. Written so that the partial index serves it. */
export const waiting = (now: Sql | string) =>
  sql`${isWaiting} and ${unexpired(now)} and not (${doomed(now)})`;

/** Waiting, and not handed over to another reader. */
export const deliverable = (now: Sql | string) =>
  sql`${waiting(now)} and (messages.hidden_until is null or messages.hidden_until <= ${now})`;

const noMessage = (id: number) =>
  new InboxError("not_found", `there is no message ${id}`, { hint: "it may have expired, or been deleted" });

export function* findMessage(id: number, condition: Sql, absent = noMessage): Procedure<MessageRow> {
  const row = yield* one<MessageRow>(
    sql`select ${messageColumns} from messages where messages.message_id = ${id} and ${condition}`,
  );
  if (!row) throw absent(id);
  return row;
}

/** As many rows as fit into one page; at least one. */
export function fitted(rows: MessageRow[]): MessageRow[] {
  let bytes = 0;
  const end = rows.findIndex((row, i) => {
    bytes += Buffer.byteLength(row.body) + Buffer.byteLength(row.payload_json);
    return bytes > pageBytes && i > 0;
  });
  return end < 0 ? rows : rows.slice(0, end);
}
