/** [U6] The person's answer: into the thread of the message that the entry is, to its sender, or to the workspace's agent. */
import { InboxError } from "../../contract/errors.ts";
import { idOf } from "../../contract/ids.ts";
import type { Message } from "../../contract/message.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { blank, call, field, phrase } from "../../contract/phrase.ts";
import type { Recipient } from "../../contract/recipient.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one, run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { reached } from "../ended-agent.ts";
import { type EntryRow, entryView, findEntry } from "../entry.ts";
import { append } from "../event.ts";
import { contentOf, write } from "../message.ts";
import { recipientOf } from "../name-use.ts";
import { answererForPerson, chosen, inWords, notThePerson, recordAnswer } from "../question.ts";
import { markRead, ownMessage } from "./entries-read.ts";
import { postInThread } from "./threads-reply.ts";

type Input = ParsedOf<"entries.reply">;
interface Answered {
  message: Message;
  recipient: Recipient;
}

/** `once`: [A5.2] a second answer is refused. Otherwise one in words is sent as a message, and the first stays. */
export function* entriesReply(
  tx: Context,
  given: Input,
  { once } = { once: false },
): Procedure<OutputOf<"entries.reply">> {
  const row = yield* findEntry(tx, given.id);
  const from = answererForPerson(tx, given.from);
  if (from === undefined)
    throw notThePerson(`the entry ${row.entry_id} is in the person's inbox`, given.from);
  const to = row.message_id === null ? yield* agentOf(row) : row.sender!;
  if (to === from) throw ownWords(row);
  const choices: string[] = row.choices_json === null ? [] : JSON.parse(row.choices_json);
  const input = inWords(choices, given);
  const choice = chosen(choices, input);
  const content = { body: answerText(input), payload: payloadOf(row, choice), artifacts: [] };
  const replaces = input.change || row.answered_at === null || (choice !== undefined && isOpen(row, choices));
  const isFinal = row.answered_at !== null && !(choices.length && isOpen(row, choices));
  if (!replaces && (choice !== undefined || (once && isFinal))) throw answeredAlready(row, choices);
  const answered =
    row.message_id === null
      ? yield* answer(tx, { from, to }, content)
      : yield* answerMessage(tx, row, from, content);
  const now = yield* tx.clock();
  yield* markRead(tx, row, from, now);
  const kept = replaces
    ? { answered_at: now, answered_by: from, answer: choice ?? content.body }
    : { answered_at: row.answered_at, answered_by: row.answered_by, answer: row.answer };
  yield* run(sql`update entries set answered_at = ${kept.answered_at}, answered_by = ${kept.answered_by}, answer = ${kept.answer},
    needs = null, snoozed_at = null, snoozed_until = null where entry_id = ${row.entry_id}`);
  const payload = {
    entry: row.entry_id,
    answer: kept.answer,
    changed: row.answered_at !== null && replaces,
  };
  if (row.message_id !== null)
    yield* recordAnswer(tx, { question: row.message_id, agent: from, choice, text: content.body }, now);
  yield* append(tx, { type: "entry.answered", source: from, payload, now });
  const awake = { needs: null, snoozed_at: null, snoozed_until: null };
  const entry = entryView({ ...row, ...kept, ...awake, read_at: row.read_at ?? now });
  return { entry, ...answered, isAnswer: replaces };
}

/**
 * [A5.5] It was answered in words, without one of its choices. A question that was closed by the agent that asked
 * stays closed.
 */
const isOpen = (row: EntryRow, choices: readonly string[]) =>
  row.answered_by !== row.sender && !choices.includes(row.answer ?? "");

/** [U10] A reply to oneself would reach nobody. */
const ownWords = (row: EntryRow) =>
  new InboxError("invalid_state", `there is nobody to answer: you wrote the entry ${row.entry_id} yourself`, {
    hint: phrase`${call("mailbox.send", { to: blank("AGENT"), message: blank("…") })} writes to any agent by name`,
  });

/** [U10] Somebody may already act on the first answer, so replacing it must be requested. */
const answeredAlready = (row: EntryRow, choices: readonly string[]) =>
  new InboxError(
    "invalid_state",
    `the entry ${row.entry_id} was answered by ${row.answered_by ?? "somebody"} at ${row.answered_at}: "${row.answer ?? ""}"`,
    {
      hint: choices.length
        ? phrase`${call("entries.reply", { id: row.entry_id, choice: blank("ANSWER"), change: true })} replaces that answer`
        : phrase`${call("entries.reply", { id: row.entry_id, message: blank("…"), change: true })} replaces that answer; without ${field("change")} it sends one more message`,
      details: { answered_by: row.answered_by, answered_at: row.answered_at, answer: row.answer },
    },
  );

function answerText({ message, choice }: Input): string {
  const text = message?.trim() ? message : choice;
  if (text === undefined)
    throw new InboxError("invalid_input", "the answer is empty: give a message or a choice", {
      hint: phrase`add ${field("message", blank("…"))}, or ${field("choice", blank("ANSWER"))}`,
    });
  return text;
}

const payloadOf = ({ entry_id }: EntryRow, choice: string | undefined) => ({
  entry: entry_id,
  ...(choice !== undefined && { choice }),
});

interface Answer {
  body: string;
  payload: Record<string, unknown>;
  artifacts: never[];
}

function* answerMessage(tx: Context, row: EntryRow, from: string, content: Answer): Procedure<Answered> {
  if (!(yield* ownMessage(row)))
    throw new InboxError(
      "invalid_state",
      `the message of the entry ${row.entry_id} no longer exists on this bus`,
      {
        hint: phrase`${call("mailbox.send", { to: row.sender ?? blank("AGENT"), message: blank("…") })} writes to its sender`,
      },
    );
  const to = row.sender!;
  if (row.thread_id === null)
    return yield* answer(tx, { from, to, correlationId: yield* correlationOf(row) }, content);
  const thread = idOf("thread", row.thread_id);
  const { message, recipient } = yield* postInThread(tx, {
    ...content,
    from,
    to,
    thread,
    kind: "answer",
    strict: false,
  });
  return { message, recipient };
}

interface Letter {
  from: string;
  to: string;
  correlationId?: string;
}

function* answer(tx: Context, letter: Letter, answered: Answer): Procedure<Answered> {
  const { from, to } = letter;
  const content = contentOf(answered);
  const now = yield* tx.clock();
  const recipient = yield* recipientOf(tx, to, { strict: false });
  yield* seen(tx, from, now);
  const written = yield* write(tx, { ...letter, thread: null, kind: "answer" }, content, now);
  yield* append(tx, { type: "message.sent", source: from, message: written.row, now });
  return { message: written.view, recipient: yield* reached(recipient, written) };
}

function* correlationOf({ message_id }: EntryRow): Procedure<string | undefined> {
  const found = yield* one<{ correlation_id: string | null }>(
    sql`select messages.correlation_id from messages where messages.message_id = ${message_id}`,
  );
  return found?.correlation_id ?? undefined;
}

/** The workspace may have another agent by now; if the workspace is gone, the agent that pushed the entry gets the answer. */
function* agentOf(row: EntryRow): Procedure<string> {
  const found = yield* one<{ agent_id: string }>(
    sql`select workspaces.agent_id from workspaces where workspaces.workspace_id = ${row.workspace_id}`,
  );
  const agent = found?.agent_id ?? row.sender;
  if (agent) return agent;
  throw new InboxError("invalid_state", `there is nobody to answer: the workspace was removed`, {
    hint: phrase`${call("mailbox.send", { to: blank("AGENT"), message: blank("…") })} writes to any agent by name`,
  });
}
