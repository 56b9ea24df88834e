/**
 * [A8] permission = "ask": what an agent program would ask its user becomes a question in the inbox of the person or
 * the parent. The agent waits; without an answer in time the use is denied.
 */
import { record } from "../bus/audit.ts";
import { acknowledge, firstLine } from "../bus/message.ts";
import { allowedForTask, askQuestion, closeQuestion, type Decision, decisionOf } from "../bus/question.ts";
import type { TaskRow } from "../bus/task.ts";
import { person } from "../contract/entry.ts";
import { plural } from "../contract/plural.ts";
import { approvalChoices } from "../contract/question.ts";
import { withoutTokens } from "../contract/secret.ts";
import type { Engine } from "../engines/engine.ts";
import type { Context } from "../sql/procedure.ts";
import { sql } from "../sql/sql.ts";
import { wait } from "../waiting/wait.ts";
import { scopeOf } from "./permission-scope.ts";
import type { Profile } from "./profiles/profile.ts";
import type { PermissionRequest, PermissionVerdict } from "./runners/runner.ts";

const { once, forTask } = approvalChoices;
const choices = Object.values(approvalChoices);

export interface Asking {
  engine: Engine;
  task: Pick<TaskRow, "task_number" | "name" | "parent">;
  profile: Pick<Profile, "ask" | "askTimeoutSeconds">;
  /** Where the sub-agent works. */
  folder: string;
  signal?: AbortSignal;
}

export async function permit(asking: Asking, request: PermissionRequest): Promise<PermissionVerdict> {
  const { engine, task, profile, signal } = asking;
  const { name } = task;
  const covers = scopeOf(request, asking.folder);
  if (await engine.read(() => allowedForTask(task.task_number, covers, forTask))) return { allowed: true };
  const to = profile.ask === "parent" ? task.parent : person;
  const text = questionText(asking, request, covers);
  const { tool, input = null, diff } = request;
  const change = diff === undefined ? {} : { diff: shortened(diff) };
  const payload = { permission: { tool, input, folder: asking.folder, covers, ...change } };
  // The system asks in the sub-agent's name, so the sender counts as verified.
  const own = (tx: Context): Context => ({ ...tx, verified: true, surface: "task" });
  const question = await engine.write((tx) =>
    askQuestion(own(tx), { from: name, to: [to], text, choices, need: 1, payload, task }),
  );
  const look = async () => {
    const decision = await engine.read((tx) => decisionOf(tx, question, name));
    // [A5.5] An answer that is not one of the choices decides nothing: it stays in the sub-agent's mail.
    return decision.choice === null ? {} : { found: decision };
  };
  const seconds = profile.askTimeoutSeconds;
  const decision = await wait(engine, { mailOf: name }, look, { timeoutMs: seconds * 1000, signal });
  if (!decision) {
    await engine.write((tx) => expire(own(tx), { question, name, to, task, seconds }));
    return { allowed: false, why: `nobody answered within ${plural(seconds, "second")}` };
  }
  await engine.write((tx) => collect(tx, name, decision));
  return verdictOf(decision);
}

function* expire(
  tx: Context,
  about: { question: string; name: string; to: string; task: Asking["task"]; seconds: number },
) {
  const { question, name, to, task, seconds } = about;
  const text = `nobody answered within ${plural(seconds, "second")}`;
  const now = yield* tx.clock();
  yield* record(tx, { action: "expired", question, agent: name, to, text, task }, now);
  yield* closeQuestion(tx, { question, from: name, answer: `denied: ${text}` }, now);
}

/** The answer was for the keeper: it is collected here and does not stay in the sub-agent's mail. */
function* collect(tx: Context, name: string, { messages }: Decision) {
  const now = yield* tx.clock();
  for (const id of messages)
    yield* acknowledge({ agent: name, names: [name], which: sql`message_id = ${id}`, now, seen: true });
}

function verdictOf({ answers, choice: decided }: Decision): PermissionVerdict {
  const { choice, message, agent } = answers.find((answer) => answer.choice === decided)!;
  if (choice === once || choice === forTask) return { allowed: true };
  const why = choice === message ? `${agent} denied it` : `${agent} denied it: ${message}`;
  return { allowed: false, why };
}

/** Characters of the arguments and of a diff that are shown; a person decides by these. */
const shownLimit = 8000;

function questionText(
  { task, folder }: Asking,
  { tool, input, diff }: PermissionRequest,
  covers: string,
): string {
  const args =
    input === undefined ? "" : shortened(typeof input === "string" ? input : JSON.stringify(input, null, 2));
  const parts = [
    `${task.name} asks to use ${tool}${gistOf(input, folder)}`,
    `Folder: ${folder}`,
    ...(args === "" ? [] : [`Arguments:\n${args}`]),
    ...(diff === undefined ? [] : [`Change:\n${shortened(diff)}`]),
    `Allowing it for this task allows ${shortened(covers)}.`,
  ];
  return parts.join("\n\n").toWellFormed().replaceAll("\u0000", "\ufffd");
}

/** What most tools act on, in one line, so that each of several questions in a list says what it is about. */
const gistFields = ["command", "file_path", "path", "url", "pattern", "query"];
const gistLimit = 100;

function gistOf(input: unknown, folder: string): string {
  const fields = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
  const found = gistFields
    .map((name) => fields[name])
    .find((value) => typeof value === "string" && value.trim() !== "");
  const line =
    typeof found === "string" ? withoutTokens(firstLine(found.trim()).replace(`${folder}/`, "")) : "";
  return line === "" ? "" : `: ${line.length > gistLimit ? `${line.slice(0, gistLimit)}…` : line}`;
}

const shortened = (text: string) =>
  withoutTokens(
    text.length > shownLimit
      ? `${text.slice(0, shownLimit)}\n… (${text.length - shownLimit} more characters)`
      : text,
  );
