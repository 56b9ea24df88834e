/** [A5] Answering a question with one of its choices. */
import { person } from "../../contract/entry.ts";
import { InboxError } from "../../contract/errors.ts";
import { idOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { blank, call, field, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";
import { acknowledge, contentOf, type MessageRow, messageColumns, write } from "../message.ts";
import { recordAnswer } from "../question.ts";
import { entriesReply } from "./entries-reply.ts";

type Input = ParsedOf<"mailbox.answer">;

/** Who does not say who it is, at a terminal, is the person. */
const usualName = "main";

export function* mailboxAnswer(tx: Context, input: Input): Procedure<OutputOf<"mailbox.answer">> {
  const { question: id, from, choice } = input;
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
  const isPersons = question.to_agent === person && (from === person || from === usualName);
  if (isPersons) return yield* asPerson(tx, question, input);
  if (question.to_agent !== from)
    throw new InboxError(
      "not_allowed",
      `message ${id} was asked of "${question.to_agent}", not of "${from}"`,
      {
        hint: phrase`answer as the agent it was asked of: ${field("from", question.to_agent)}`,
      },
    );
  const { choices = [] } = JSON.parse(question.payload_json) as { choices?: string[] };
  const text = textOf(input, choices);
  const now = yield* tx.clock();
  yield* refuseSecond(question, from);
  yield* seen(tx, from, now);
  const content = contentOf({ body: text, payload: choice === undefined ? {} : { choice }, artifacts: [] });
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
    : `is no question but a message of kind ${kind}`;

function* asPerson(
  tx: Context,
  question: MessageRow,
  { choice, message }: Input,
): Procedure<OutputOf<"mailbox.answer">> {
  const entry = yield* one<{ entry_id: string }>(
    sql`select entries.entry_id from entries where entries.message_id = ${question.message_id} and entries.deleted_at is null`,
  );
  if (!entry)
    throw new InboxError("not_found", "the person has deleted this question", {
      hint: phrase`${call("entries.history")} lists the questions that are left`,
    });
  const answered = yield* entriesReply(tx, {
    id: entry.entry_id,
    from: person,
    choice,
    change: false,
    message,
  });
  return { message: answered.message };
}

function textOf({ choice, message }: Input, choices: readonly string[]): string {
  if (choice !== undefined && !choices.includes(choice))
    throw new InboxError("invalid_input", `"${choice}" is not one of the choices of this question`, {
      hint: choices.length ? `it offers ${choices.join(", ")}` : "it has no choices: answer with a message",
      details: { choices },
    });
  const text = message ?? choice;
  if (text === undefined)
    throw new InboxError("invalid_input", "the answer is empty: give a choice or a message", {
      hint: phrase`add ${field("choice", choices[0] ?? blank("ANSWER"))}, or ${field("message", blank("…"))}`,
    });
  return text;
}

function* refuseSecond({ correlation_id, from_agent }: MessageRow, from: string): Procedure<void> {
  if (correlation_id === null) return;
  const before = yield* one(sql`
    select 1 as here from messages where messages.correlation_id = ${correlation_id} and messages.kind = 'answer'
      and messages.from_agent = ${from} limit 1`);
  if (before)
    throw new InboxError("invalid_state", `"${from}" has already answered this question`, {
      hint: phrase`the first answer counts; to add something, use ${call("mailbox.send", { to: from_agent, message: blank("…") })}`,
    });
}
