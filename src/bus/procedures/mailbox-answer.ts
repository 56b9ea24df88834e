/** [A5] Answering a question with one of its choices. */
import { person } from "../../contract/entry.ts";
import { InboxError } from "../../contract/errors.ts";
import { idOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { blank, call, field, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";
import { acknowledge, type MessageRow, messageColumns, textContent, write } from "../message.ts";
import {
  answererForPerson,
  chosen,
  inWords,
  notThePerson,
  onlyThePerson,
  recordAnswer,
} from "../question.ts";
import { entriesReply } from "./entries-reply.ts";

type Input = ParsedOf<"mailbox.answer">;

export function* mailboxAnswer(tx: Context, given: Input): Procedure<OutputOf<"mailbox.answer">> {
  const { from } = given;
  const id = yield* questionNumber(tx, given);
  const question = yield* one<MessageRow>(
    sql`select ${messageColumns} from messages where messages.message_id = ${id} ${tx.forUpdate}`,
  );
  if (question?.kind !== "question" || question.thread_id !== null)
    throw new InboxError(
      question ? "invalid_state" : "not_found",
      question ? `message ${id} ${notToBeAnswered(question)}` : `there is no message ${id}`,
      {
        hint:
          question?.kind === "question"
            ? phrase`${call("threads.reply", { thread: idOf("thread", question.thread_id!), summary: blank("…") })} answers in its thread`
            : phrase`${call("mailbox.list")} lists the messages that wait for you, with their ids`,
      },
    );
  if (question.to_agent === person) {
    const answerer = answererForPerson(tx, from);
    if (answerer === undefined) throw notThePerson(`message ${id} was asked of "${person}"`, from);
    return yield* inPersonsInbox(tx, question, { ...given, from: answerer });
  }
  if (question.to_agent !== from)
    throw new InboxError(
      "not_allowed",
      `message ${id} was asked of "${question.to_agent}", not of "${from}"`,
      { hint: `only "${question.to_agent}" can answer it; wait for the answer` },
    );
  const { choices = [] } = JSON.parse(question.payload_json) as { choices?: string[] };
  const input = inWords(choices, given);
  const choice = chosen(choices, input);
  const text = answerText(input, choices);
  const now = yield* tx.clock();
  yield* refuseSecond(question, from, choices);
  yield* seen(tx, from, now);
  const content = textContent(text, choice === undefined ? {} : { choice }, "message");
  const head = {
    thread: null,
    from,
    to: question.from_agent,
    kind: "answer",
    correlationId: question.correlation_id ?? undefined,
  } as const;
  const written = yield* write(tx, head, content, now);
  yield* acknowledge({
    agent: from,
    names: [from],
    which: sql`message_id = ${question.message_id}`,
    now,
    seen: true,
  });
  yield* append(tx, { type: "message.sent", source: from, message: written.row, now });
  yield* recordAnswer(tx, { question: question.message_id, agent: from, choice, text }, now);
  return { message: written.view };
}

const notToBeAnswered = ({ kind, thread_id }: MessageRow) =>
  kind === "question"
    ? `is a question in ${idOf("thread", thread_id!)}: answer it there`
    : `is not a question; its kind is ${kind}`;

/** An entry that is not a question has no message to answer here. */
function* questionNumber(tx: Context, { question: id, from }: Input): Procedure<number> {
  if (typeof id === "number") return id;
  const entry = yield* one<{ message_id: number | null }>(
    sql`select entries.message_id from entries where entries.entry_id = ${id} and entries.deleted_at is null`,
  );
  if (entry?.message_id != null) return entry.message_id;
  const replies =
    answererForPerson(tx, from) === undefined
      ? onlyThePerson
      : phrase`${call("entries.reply", { id, message: blank("…") })} replies to it`;
  throw new InboxError(
    entry ? "invalid_state" : "not_found",
    entry ? `the entry ${id} is not a question` : `there is no entry ${id}`,
    {
      hint: entry ? replies : phrase`${call("entries.history")} lists the entries`,
    },
  );
}

function* inPersonsInbox(
  tx: Context,
  question: MessageRow,
  { from, choice, message }: Input,
): Procedure<OutputOf<"mailbox.answer">> {
  const entry = yield* one<{ entry_id: string }>(
    sql`select entries.entry_id from entries where entries.message_id = ${question.message_id} and entries.deleted_at is null`,
  );
  if (!entry)
    throw new InboxError("not_found", "the person has deleted this question", {
      hint: phrase`${call("entries.history")} lists the questions that are left`,
    });
  const reply = { id: entry.entry_id, from, choice, change: false, message };
  const answered = yield* entriesReply(tx, reply, { once: true });
  return { message: answered.message };
}

function answerText({ choice, message }: Input, choices: readonly string[]): string {
  const text = message ?? choice;
  if (text === undefined)
    throw new InboxError("invalid_input", "the answer is empty: give a choice or a message", {
      hint: phrase`add ${field("choice", choices[0] ?? blank("ANSWER"))}, or ${field("message", blank("…"))}`,
    });
  return text;
}

/** An answer in words to a question with choices decides nothing: a choice may follow. */
function* refuseSecond(
  { correlation_id, from_agent }: MessageRow,
  from: string,
  choices: readonly string[],
): Procedure<void> {
  if (correlation_id === null) return;
  const before = yield* all<Pick<MessageRow, "payload_json">>(sql`
    select messages.payload_json from messages where messages.correlation_id = ${correlation_id} and messages.kind = 'answer'
      and messages.from_agent = ${from} order by messages.message_id`);
  const counts = ({ payload_json }: Pick<MessageRow, "payload_json">) =>
    !choices.length || JSON.parse(payload_json).choice !== undefined;
  if (before.some(counts))
    throw new InboxError("invalid_state", `"${from}" has already answered this question`, {
      hint: phrase`the first answer counts; to add something, use ${call("mailbox.send", { to: from_agent, message: blank("…") })}`,
    });
}
