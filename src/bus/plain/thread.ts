/**
 * [T1] The plain case of a new thread, in one statement: its creator and the agent that gets it are known, nobody has a
 * quota, and its first message has no artifacts. The procedure (procedures/threads-send.ts) has the rules for all cases; a
 * test compares what both leave in the tables.
 */
import { person } from "../../contract/entry.ts";
import { idOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { maxAttemptsDefault } from "../../contract/thread.ts";
import {
  asText,
  inOrder,
  insertFrom,
  instant,
  nextEvent,
  nextNumber,
  type Plain,
  type PlainQuery,
} from "../../sql/plain.ts";
import type { Row } from "../../sql/procedure.ts";
import { fragment, word } from "../../sql/sql.ts";
import { initialOf } from "../../sql/table.ts";
import { events, messages, threads } from "../../sql/tables.ts";
import { topicsOf } from "../../sql/topics.ts";
import { isAgent, mayBeKnown, seenBy } from "../agent.ts";
import { hasGone } from "../ended-agent.ts";
import { detailsOf, eventRow } from "../event.ts";
import { contentOf, type MessageRow, messageView, orderOf, unanswered } from "../message.ts";
import { threadsSend } from "../procedures/threads-send.ts";
import { mayHaveQuotas, noQuotas } from "../quota.ts";
import { type ThreadRow, threadView } from "../thread.ts";
import { type MarkedEvent, markedBy, newMark } from "./marked.ts";

const [agent, recipient] = [fragment`caller.agent`, fragment`caller.recipient`];

/** The time and the numbers are drawn once the channels are locked. */
const creating = () => fragment`
  select caller.*, ${instant} as at from caller
  where ${noQuotas} and ${isAgent(agent)} and ${isAgent(recipient)} and not ${hasGone(recipient)}`;

const drawing = (many: boolean) => fragment`
  select creating.*, ${asText(fragment`creating.at`)} as now, ${nextNumber("threads")} as thread_id,
    ${nextNumber("messages")} as message_id, ${nextEvent} as event_id
  from creating ${inOrder(many, fragment`creating.n_of_caller`)}`;

/** A task without an id of its own gets the id of its thread. */
const identified = fragment`
  select numbered.*, coalesce(numbered.own_task, ${word(`'${idOf("thread", 0).slice(0, -1)}'`)} || numbered.thread_id) as task_id
  from numbered`;

const created = () =>
  insertFrom(
    threads,
    {
      thread_id: fragment`identified.thread_id`,
      run_id: fragment`identified.run`,
      task_id: fragment`identified.task_id`,
      subject: fragment`identified.subject`,
      created_by: fragment`identified.agent`,
      assigned_to: fragment`identified.recipient`,
      addressed_to: fragment`identified.recipient`,
      status: "pending",
      priority: fragment`identified.priority`,
      max_attempts: fragment`identified.max_attempts`,
      latest_message_id: fragment`identified.message_id`,
      created_at: fragment`identified.now`,
      updated_at: fragment`identified.now`,
    },
    fragment`from identified`,
  );

const written = () =>
  insertFrom(
    messages,
    {
      ...unanswered,
      message_id: fragment`identified.message_id`,
      thread_id: fragment`identified.thread_id`,
      from_agent: fragment`identified.agent`,
      to_agent: fragment`identified.recipient`,
      kind: fragment`identified.kind`,
      summary: fragment`identified.summary`,
      body: fragment`identified.body`,
      payload_json: fragment`identified.payload`,
      created_at: fragment`identified.now`,
      task_id: fragment`identified.task_id`,
    },
    fragment`from identified`,
  );

const told = () => {
  const row = eventRow({
    type: "thread.created",
    source: fragment`identified.agent`,
    now: fragment`identified.now`,
    thread: {
      run_id: fragment`identified.run`,
      task_id: fragment`identified.task_id`,
      thread_id: fragment`identified.thread_id`,
      status: "pending",
      created_by: fragment`identified.agent`,
      assigned_to: fragment`identified.recipient`,
    },
    message: {
      message_id: fragment`identified.message_id`,
      to_agent: fragment`identified.recipient`,
      summary: fragment`identified.summary`,
    },
    payload_json: fragment`identified.details`,
  });
  return insertFrom(
    events,
    { ...row, event_id: fragment`identified.event_id`, mark: fragment`identified.mark` },
    fragment`from identified`,
  );
};

const query: PlainQuery = {
  columns: {
    agent: "text",
    recipient: "text",
    subject: "text",
    run: "text",
    own_task: "text",
    priority: "text",
    max_attempts: "integer",
    kind: "text",
    summary: "text",
    body: "text",
    payload: "text",
    details: "text",
    mark: "bigint",
  },
  locks: true,
  parts: (many) => fragment`
    creating as materialized (${creating()}), numbered as materialized (${drawing(many)}), identified as materialized (${identified}),
    created as (${created()}), written as (${written()}), told as (${told()}), acting as (${seenBy(fragment`identified`, many)})
    select identified.n_of_caller, identified.now as created_at, identified.thread_id, identified.task_id, identified.message_id,
      identified.event_id
    from identified ${inOrder(many, fragment`identified.n_of_caller`)}`,
};

interface CreatedRow extends Pick<MarkedEvent, "event_id" | "created_at"> {
  thread_id: number;
  task_id: string;
  message_id: number;
}

type Input = ParsedOf<"threads.send">;
type Output = OutputOf<"threads.send">;

export function plainThread(
  input: Input,
  recall: (fact: string) => string | undefined,
): Plain<Output> | undefined {
  const { from, to, subject, kind = "task", priority = "normal", run = "default" } = input;
  if (input.thread !== undefined || to === undefined || subject === undefined) return undefined;
  if (to === person || input.artifacts.length || mayHaveQuotas(recall)) return undefined;
  if (!mayBeKnown(recall, from) || !mayBeKnown(recall, to)) return undefined;
  const [lock, ...others] = orderOf({ to });
  if (others.length) return undefined;
  const content = contentOf({ ...input, summary: input.summary ?? subject });
  const { summary, body = "", payload = {} } = content;
  const mark = newMark();
  const max_attempts = input.maxAttempts ?? maxAttemptsDefault;
  const payload_json = JSON.stringify(payload);
  const details = JSON.stringify(detailsOf({ kind, to_agent: to }));
  const said = [kind, summary, body, payload_json, details];
  const values = [from, to, subject, run, input.task ?? null, priority, max_attempts, ...said, mark.number];
  const createdBy = ({ thread_id, task_id, message_id, event_id, created_at }: CreatedRow) => {
    const thread: ThreadRow = {
      thread_id,
      task_id,
      run_id: run,
      subject,
      created_by: from,
      assigned_to: to,
      addressed_to: to,
      status: "pending",
      priority,
      max_attempts,
      latest_message_id: message_id,
      created_at,
      updated_at: created_at,
    };
    const message: MessageRow = {
      ...untouched,
      ...unanswered,
      message_id,
      thread_id,
      task_id,
      from_agent: from,
      to_agent: to,
      kind,
      summary,
      body,
      payload_json,
      created_at,
    };
    const event = { ...thread, event_type: "thread.created", source: from, to_agent: to };
    return { value: answerWith(thread, message, event_id), topics: topicsOf(event), learnt: [] };
  };
  return {
    query,
    values,
    lock,
    kind: `thread:${to}`,
    answer: (found: Row) => createdBy(found as unknown as CreatedRow),
    *again(tx) {
      const found = yield* markedBy(tx, mark);
      if (!found) return yield* threadsSend(tx, input);
      const { value, topics } = createdBy(found as CreatedRow);
      for (const topic of topics) tx.wake(topic);
      return value;
    },
  };
}

const answerWith = (thread: ThreadRow, message: MessageRow, event: number): Output => ({
  thread: threadView(thread),
  message: messageView(message),
  recipient: { name: thread.addressed_to, known: true, similar: [] },
  nextEventId: event,
});

const untouched = initialOf(messages);
