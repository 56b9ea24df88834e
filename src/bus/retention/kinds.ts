/**
 * [Y1] [Y2] The kinds of data that retention deletes: the table, the age, and why a row is still needed. Events
 * (events.ts) and messages of topics (topics.ts) are deleted in another way, from the oldest on.
 */
import type { RetentionKind, RetentionReason } from "../../contract/retention.ts";
import { fragment, type Sql, sql } from "../../sql/sql.ts";
import { isEnded } from "../thread.ts";

/** `expired` needs no limit: expired messages are in no read. */
export type RowKind = Exclude<RetentionKind, "events" | "topics"> | "expired";

export interface Kind {
  table: Sql;
  /** When it ended. Rows are deleted in the order of this and the number; the index has both. */
  at: Sql;
  index: string;
  ref: Sql;
  /** Which rows of the table are of this kind. */
  over: Sql;
  /** Roughly how much work deleting it is, in bytes. */
  cost: Sql;
  /** Why a row is kept, by what holds: it is deleted if nothing of it does. The first one that holds is named. */
  kept(now: string): readonly KeptBecause[];
}

/** `other`: it is not there to be deleted, which nobody has to know. */
type KeptBecause = readonly [RetentionReason | "other", Sql];

/** The size of a row itself, without its texts. */
const rowBytes = fragment`2000`;
export const messageBytes = fragment`octet_length(messages.body) + octet_length(messages.payload_json) + ${rowBytes}`;

/** A stored reader of its channel has not read it yet. */
const unreadBy = (message: Sql) => fragment`exists (
  select 1 from readers where readers.channel = ${message}.to_agent and readers.position < ${message}.message_id)`;
const messageUnread = unreadBy(fragment`messages`);
const letterUnread = unreadBy(fragment`letter`);

/** For the thread that a column names: it has waiting mail, a dead letter, an unread message, an entry or a lease. */
const threadNeeded = (thread: Sql, now: string): readonly KeptBecause[] => [
  [
    "uncollected",
    fragment`exists (select 1 from messages as letter where letter.thread_id = ${thread} and letter.acked_at is null)`,
  ],
  [
    "unread",
    fragment`exists (select 1 from messages as letter where letter.thread_id = ${thread} and ${letterUnread})`,
  ],
  ["entry", fragment`exists (select 1 from entries where entries.thread_id = ${thread})`],
  [
    "lease",
    sql`exists (select 1 from leases where leases.thread_id = ${thread} and leases.released_at is null and leases.expires_at > ${now})`,
  ],
];

const threadBytes = (thread: Sql) => fragment`(
  select coalesce(sum(octet_length(letter.body) + octet_length(letter.payload_json) + ${rowBytes}), 0)
  from messages as letter where letter.thread_id = ${thread})`;

const isOpenThread = (thread: Sql) => fragment`exists (
  select 1 from threads where threads.thread_id = ${thread} and not ${isEnded})`;

const finishedTask = fragment`tasks.status = 'finished'`;

const taskNeeded: readonly KeptBecause[] = [
  [
    "later",
    fragment`exists (
      select 1 from task_dependencies as link join tasks as later on later.task_number = link.task_number
      where link.after_number = tasks.task_number and later.status <> 'finished')
    or exists (select 1 from tasks as below where below.parent = tasks.name and below.status <> 'finished')`,
  ],
  [
    "unmerged",
    fragment`exists (select 1 from worktrees where worktrees.task_number = tasks.task_number and worktrees.state = 'kept')`,
  ],
];

const notOn = (host: string | undefined) => sql`(tasks.host is null or tasks.host <> ${host ?? ""})`;

const taskKept = (host: string | undefined, now: string): readonly KeptBecause[] => [
  ["elsewhere", sql`tasks.folder is not null and ${notOn(host)}`],
  ...taskNeeded,
  ["open", isOpenThread(fragment`tasks.thread_id`)],
  ...threadNeeded(fragment`tasks.thread_id`, now),
  [
    "later",
    fragment`exists (select 1 from tasks as other where other.thread_id = tasks.thread_id and other.task_number <> tasks.task_number)`,
  ],
];

const ofMessages = {
  table: fragment`messages`,
  ref: fragment`messages.message_id`,
  cost: messageBytes,
};

/** `host` has files of tasks, and can delete them. */
export const kindsOn = (host: string | undefined): Record<RowKind, Kind> => ({
  entries: {
    table: fragment`entries`,
    at: fragment`entries.read_at`,
    index: "entries_read",
    ref: fragment`entries.entry_number`,
    over: fragment`entries.read_at is not null and entries.deleted_at is null`,
    cost: fragment`octet_length(entries.comments) + ${rowBytes}`,
    // The agent that asked may still wait for the answer.
    kept: () => [
      ["open", isOpenThread(fragment`entries.thread_id`)],
      [
        "unanswered",
        fragment`entries.thread_id is null and entries.answered_at is null and coalesce(entries.kind, '') = 'question'`,
      ],
      [
        "uncollected",
        fragment`exists (select 1 from messages where messages.message_id = entries.message_id
          and messages.acked_at is null and messages.dead_at is null)`,
      ],
    ],
  },
  transcripts: {
    table: fragment`tasks`,
    at: fragment`tasks.finished_at`,
    index: "tasks_ended",
    ref: fragment`tasks.task_number`,
    over: finishedTask,
    cost: rowBytes,
    kept: () => [
      ["other", fragment`tasks.folder is null`],
      ["elsewhere", notOn(host)],
    ],
  },
  tasks: {
    table: fragment`tasks`,
    at: fragment`tasks.finished_at`,
    index: "tasks_ended",
    ref: fragment`tasks.task_number`,
    over: finishedTask,
    cost: fragment`octet_length(tasks.prompt) + ${rowBytes} + ${threadBytes(fragment`tasks.thread_id`)}`,
    kept: (now) => taskKept(host, now),
  },
  threads: {
    table: fragment`threads`,
    at: fragment`threads.updated_at`,
    index: "threads_ended",
    ref: fragment`threads.thread_id`,
    over: isEnded,
    cost: fragment`${rowBytes} + ${threadBytes(fragment`threads.thread_id`)}`,
    kept: (now) => [
      ["other", fragment`exists (select 1 from tasks where tasks.thread_id = threads.thread_id)`],
      ...threadNeeded(fragment`threads.thread_id`, now),
    ],
  },
  mail: {
    ...ofMessages,
    at: fragment`messages.acked_at`,
    index: "messages_acked",
    over: fragment`messages.acked_at is not null and messages.thread_id is null`,
    kept: () => [
      ["unread", messageUnread],
      ["entry", fragment`exists (select 1 from entries where entries.message_id = messages.message_id)`],
    ],
  },
  "dead-letters": {
    ...ofMessages,
    at: fragment`messages.dead_at`,
    index: "messages_dead_since",
    over: fragment`messages.dead_at is not null`,
    kept: () => [["unread", messageUnread]],
  },
  expired: {
    ...ofMessages,
    at: fragment`messages.expires_at`,
    index: "messages_expiring",
    over: fragment`messages.expires_at is not null and messages.thread_id is null`,
    kept: () => [],
  },
});
