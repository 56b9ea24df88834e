/** [B5] Which senders have answered. Changes nothing; what was found is handed over afterwards. */
import type { Mail } from "../../contract/mail.ts";
import type { ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { joined, nothing, sql } from "../../sql/sql.ts";
import { columnsOf, part, type RowOf } from "../../sql/table.ts";
import { tasks } from "../../sql/tables.ts";
import { messagesTo, oldestMessages } from "../../sql/walk.ts";
import { deliverable, mailView, waiting } from "../channel.ts";
import { returnsInMs } from "../hand-over/next.ts";
import { type MessageRow, messageColumns } from "../message.ts";
import { isOpen } from "../thread.ts";

interface Found {
  messages: Mail[];
  /** The sender that each message is an answer of, by the message's number. */
  answers: ReadonlyMap<number, string>;
  missing: string[];
  dead: string[];
  againInMs?: number;
}

type Input = Pick<ParsedOf<"mailbox.gather">, "agent" | "from" | "correlationId" | "after">;

export function* answers(tx: Context, input: Input): Procedure<Found> {
  const now = yield* tx.clock();
  const { agent, correlationId, after } = input;
  const senders = [...new Set(input.from)];
  const busy = yield* all<{ assigned_to: string }>(sql`
    select distinct threads.assigned_to from threads where threads.assigned_to in (${joined(senders)})
      and threads.created_by = ${agent} and ${isOpen}`);
  const tasks = yield* newestTasks(agent, senders);
  const working = new Set([
    ...busy.map((row) => row.assigned_to),
    ...tasks.filter(({ status }) => status !== "finished").map(({ name }) => name),
  ]);
  // [Q10] What a running worker sends about a task is the task's answer, although the sender is the worker.
  const dispatched = new Map(
    tasks.flatMap(({ name, worker, thread_id }) =>
      worker !== null && thread_id !== null ? [[thread_id, name]] : [],
    ),
  );
  const threads = dispatched.size
    ? sql`or messages.thread_id in (${joined([...dispatched.keys()])}) and messages.kind = 'result'`
    : nothing;
  const related = correlationId === undefined ? nothing : sql`and messages.correlation_id = ${correlationId}`;
  const rows = yield* all<MessageRow>(sql`
    select ${messageColumns} from messages where ${messagesTo(tx, agent, { after })} and ${deliverable(now)}
      and (messages.from_agent in (${joined(senders)}) ${threads}) ${related}
    ${oldestMessages} limit 10000`);
  const found = rows.filter((row) => row.kind === "result" || !working.has(row.from_agent));
  const whose = new Map(
    found.map((row) => [row.message_id, dispatched.get(row.thread_id ?? 0) ?? row.from_agent]),
  );
  const answered = new Set(whose.values());
  const missing = senders.filter((name) => !answered.has(name));
  const dead = yield* deadOf(agent, missing, tasks, now);
  return {
    messages: found.map(mailView),
    answers: whose,
    missing: missing.filter((name) => !dead.includes(name)),
    dead,
    againInMs: yield* returnsInMs(agent, now),
  };
}

const newest = part(tasks, "name", "status", "worker", "thread_id");
const newestColumns = columnsOf(newest);
type Newest = RowOf<typeof newest>;

function* newestTasks(agent: string, names: readonly string[]): Procedure<Newest[]> {
  return yield* all<Newest>(sql`
    select ${newestColumns} from tasks
    where tasks.name in (${joined(names)}) and tasks.parent = ${agent} and tasks.task_number =
      (select max(later.task_number) from tasks as later where later.name = tasks.name)`);
}

/**
 * A sender that has finished and has not answered never will: its result was collected before, or there is none. In
 * the order of the request.
 */
function* deadOf(
  agent: string,
  silent: readonly string[],
  tasks: readonly Newest[],
  now: string,
): Procedure<string[]> {
  const ended = new Map(
    tasks.filter(({ status }) => status === "finished").map(({ name, thread_id }) => [name, thread_id]),
  );
  if (!silent.some((name) => ended.has(name))) return [];
  // Messages that are handed over to another reader may come back.
  const held = yield* all<{ from_agent: string; thread_id: number | null }>(sql`
    select messages.from_agent, messages.thread_id from messages where messages.to_agent = ${agent} and ${waiting(now)}
      and messages.hidden_until > ${now}`);
  const isHeld = (name: string) => {
    const thread = ended.get(name) ?? null;
    return held.some((row) => row.from_agent === name || (thread !== null && row.thread_id === thread));
  };
  return silent.filter((name) => ended.has(name) && !isHeld(name));
}
