/** [A5] Questions with choices: asking, answering, and deciding. All of it is stored as messages with one correlation id. */
import { person } from "../contract/entry.ts";
import { InboxError } from "../contract/errors.ts";
import { quotedValue } from "../contract/fields.ts";
import { blank, call, field, phrase } from "../contract/phrase.ts";
import type { Approval, GivenAnswer } from "../contract/question.ts";
import { withoutTokens } from "../contract/secret.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { all, one } from "../sql/procedure.ts";
import { sql } from "../sql/sql.ts";
import { type Audited, record } from "./audit.ts";
import { append } from "./event.ts";
import { type MessageRow, messageColumns } from "./message.ts";
import { postToChannel } from "./post-message.ts";
import { mailNameOf, mailNamesOf } from "./tasks/mail-name.ts";

export interface Question {
  from: string;
  to: readonly string[];
  text: string;
  choices: readonly string[];
  /** How many different agents must give the first choice. */
  need: number;
  payload?: Record<string, unknown>;
  task?: Audited["task"];
}

/** Returns its correlation id. */
export function* askQuestion(
  tx: Context,
  question: Question,
  correlation = `ask-${crypto.randomUUID()}`,
): Procedure<string> {
  const { from, to, text, choices, need, payload, task } = question;
  for (const name of new Set(yield* mailNamesOf(to))) {
    yield* postToChannel(tx, {
      from,
      to: name,
      text,
      strict: false,
      payload: { ...payload, choices, ...(need > 1 && { need }) },
      more: { correlationId: correlation },
      kind: "question",
    });
    yield* record(
      tx,
      { action: "asked", question: correlation, agent: from, to: name, text, task },
      yield* tx.clock(),
    );
  }
  return correlation;
}

interface Asked {
  first: MessageRow;
  choices: string[];
  need: number;
  /** The agents that were asked so far. */
  to: string[];
}

export function* questionOf(correlation: string, from: string): Procedure<Asked> {
  const rows = yield* all<MessageRow>(sql`
    select ${messageColumns} from messages where messages.correlation_id = ${correlation} and messages.kind = 'question'
      and messages.from_agent = ${from} order by messages.message_id`);
  const [first] = rows;
  if (!first)
    throw new InboxError(
      "not_found",
      `"${from}" has not asked a question with the correlation id "${correlation}"`,
      {
        hint: phrase`${call("audit.list")} shows what was asked`,
      },
    );
  const { choices = [], need = 1 } = JSON.parse(first.payload_json);
  return { first, choices, need, to: rows.map((row) => row.to_agent) };
}

export interface Decision {
  choice: string | null;
  choices: string[];
  answers: GivenAnswer[];
  /** The answers, as messages in the inbox of the agent that asked. */
  messages: number[];
  /** Milliseconds since it was asked. */
  ageMs: number;
}

/** A caller without a name, at a terminal, is the person. */
const usualName = "main";

/** [A5.7] No hint tells an agent how to answer in the person's name. */
export const onlyThePerson = "only the person can answer it; wait for the answer";

/**
 * [A5.4] The name under which a caller answers a question to the person; undefined if it may not. A caller with a
 * token answers under its own name, if it may change the person's inbox, which inbox/access.ts has checked before.
 * Without a token, a model may not, whatever it calls itself.
 */
export function answererForPerson(tx: Context, from: string): string | undefined {
  if (tx.verified) return from;
  if (tx.byModel) return undefined;
  return from === person || from === usualName ? person : undefined;
}

/** [A5.4] Why a caller may not answer what the person was asked. Only a model can have the person's name and be refused. */
export const notThePerson = (asked: string, from: string) =>
  new InboxError(
    "not_allowed",
    `${asked}: ${from === person ? "a model" : `"${from}"`} cannot answer for the person`,
    { hint: onlyThePerson },
  );

interface Said {
  choice?: string;
  message?: string;
}

/** [A5.2] Where a question has no choices, the only text of an answer is its message. */
export const inWords = <T extends Said>(choices: readonly string[], said: T): T =>
  choices.length || said.message !== undefined ? said : { ...said, choice: undefined, message: said.choice };

/** [A5.5] A message that is one of the choices is that choice. */
export function chosen(choices: readonly string[], { choice, message }: Said): string | undefined {
  const said = choice ?? message?.trim();
  if (choice !== undefined && !choices.length)
    throw new InboxError("invalid_input", "this question has no choices", {
      hint: phrase`give all of the answer as ${field("message", blank("TEXT"))}`,
      details: { choices: [] },
    });
  if (choice !== undefined && !choices.includes(choice))
    throw new InboxError(
      "invalid_input",
      `${quotedValue(choice)} is not one of the choices of this question`,
      {
        hint: `it offers ${choices.join(", ")}`,
        details: { choices: [...choices] },
      },
    );
  return said !== undefined && choices.includes(said) ? said : undefined;
}

/** The first choice once enough agents have given it; any other as soon as one has. Agents that were not asked decide nothing. */
export function* decisionOf(tx: Context, correlation: string, from: string): Procedure<Decision> {
  const { first, choices, need, to } = yield* questionOf(correlation, from);
  const ageMs = Date.parse(yield* tx.clock()) - Date.parse(first.created_at);
  const rows = yield* all<MessageRow>(sql`
    select ${messageColumns} from messages where messages.correlation_id = ${correlation} and messages.reply = 1
      and messages.kind = 'answer' order by messages.message_id`);
  const answers: GivenAnswer[] = [];
  const counted = rows.filter(
    (row) => to.includes(row.from_agent) || (to.includes(person) && isPersons(row)),
  );
  for (const row of counted) {
    const { choice = null } = JSON.parse(row.payload_json) as { choice?: string };
    answers.push({
      agent: row.from_agent,
      choice,
      message: row.body || row.summary,
      createdAt: row.created_at,
      verified: row.verified === 1,
    });
  }
  // [A6.1] An answer on behalf of the person counts as the person's.
  const asked = ({ agent }: GivenAnswer) => (to.includes(agent) ? agent : person);
  const [yes] = choices;
  const other = answers.find(({ choice }) => choice !== null && choice !== yes)?.choice;
  const approved = new Set(answers.filter(({ choice }) => choice === yes).map(asked)).size >= need;
  return {
    choice: other ?? (approved ? yes! : null),
    choices,
    answers,
    messages: counted.map((row) => row.message_id),
    ageMs,
  };
}

/** Given in the person's inbox, by the person or by a token that may answer there. */
const isPersons = ({ payload_json }: MessageRow) => typeof JSON.parse(payload_json).entry === "string";

/** [A6] One more who may answer, unless that one was asked before. */
export function* escalate(tx: Context, correlation: string, from: string, other: string): Procedure<boolean> {
  const to = yield* mailNameOf(other);
  const asked = yield* questionOf(correlation, from);
  if (asked.to.includes(to)) return false;
  const { choices, need, ...payload } = JSON.parse(asked.first.payload_json);
  const text = asked.first.body || asked.first.summary;
  yield* postToChannel(tx, {
    from,
    to,
    text,
    strict: false,
    payload: { ...payload, choices, ...(need !== undefined && { need }) },
    more: { correlationId: correlation },
    kind: "question",
  });
  yield* record(tx, { action: "escalated", question: correlation, agent: from, to, text }, yield* tx.clock());
  return true;
}

/** Of a question that has a correlation: who answered, and what. */
export function* recordAnswer(
  tx: Context,
  { question, agent, choice, text }: { question: number; agent: string; choice?: string; text: string },
  now: string,
): Procedure<void> {
  const asked = yield* one<Pick<MessageRow, "correlation_id" | "from_agent">>(
    sql`select messages.correlation_id, messages.from_agent from messages where messages.message_id = ${question} and messages.kind = 'question'`,
  );
  if (!asked?.correlation_id) return;
  const about = yield* one<{ task: string | null; task_number: number | null }>(
    sql`select audit.task, audit.task_number from audit where audit.question = ${asked.correlation_id} order by audit.audit_id limit 1`,
  );
  const task =
    about?.task && about.task_number !== null
      ? { name: about.task, task_number: about.task_number }
      : undefined;
  yield* record(
    tx,
    { action: "answered", question: asked.correlation_id, agent, to: asked.from_agent, choice, text, task },
    now,
  );
}

/** [A8] The permission that a message asks for; null if it asks for something else, or is not on this bus. */
export function* approvalIn(message: number): Procedure<Approval | null> {
  const found = yield* one<Pick<MessageRow, "payload_json">>(
    sql`select messages.payload_json from messages where messages.message_id = ${message}`,
  );
  const { permission } = JSON.parse(found?.payload_json ?? "{}") as { permission?: Record<string, unknown> };
  if (typeof permission?.tool !== "string") return null;
  const { tool, input, folder, diff } = permission;
  return {
    tool,
    input: input === undefined || input === null ? "" : withoutTokens(JSON.stringify(input, null, 2)),
    folder: typeof folder === "string" ? folder : "",
    diff: typeof diff === "string" ? diff : null,
  };
}

/** A question that can no longer be decided: the agent that asked has closed it. */
export function* closeQuestion(
  tx: Context,
  { question, from, answer }: { question: string; from: string; answer: string },
  now: string,
): Procedure<void> {
  const closed = yield* all<{ entry_id: string }>(sql`
    update entries set answered_at = ${now}, answered_by = ${from}, answer = ${answer}, needs = null
    where entries.answered_at is null and entries.message_id in (
      select messages.message_id from messages where messages.correlation_id = ${question} and messages.kind = 'question')
    returning entry_id`);
  for (const { entry_id } of closed)
    yield* append(tx, {
      type: "entry.answered",
      source: from,
      payload: { entry: entry_id, answer, changed: false },
      now,
    });
}

/** [U14] Closes the unanswered questions of a task that ends: nobody waits for the answers any more. */
export function* closeQuestionsOf(
  tx: Context,
  { task_number, name }: { task_number: number; name: string },
  answer: string,
  now: string,
): Procedure<void> {
  const asked = yield* all<{ question: string }>(sql`
    select distinct audit.question from audit
    where audit.task_number = ${task_number} and audit.action = 'asked' order by audit.question`);
  for (const { question } of asked) yield* closeQuestion(tx, { question, from: name, answer }, now);
}

/** [A8] Whether something was allowed for the rest of a task, as far as the question said that the answer covers it. */
export function* allowedForTask(task: number, covers: string, choice: string): Procedure<boolean> {
  const rows = yield* all<{ payload_json: string }>(sql`
    select distinct messages.payload_json from audit join messages on messages.correlation_id = audit.question
    where audit.task_number = ${task} and audit.action = 'answered' and audit.choice = ${choice} and messages.kind = 'question'
    order by messages.payload_json`);
  return rows.some(({ payload_json }) => JSON.parse(payload_json).permission?.covers === covers);
}
