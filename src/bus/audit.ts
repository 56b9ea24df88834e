/** [A7] The audit trail: a record of each question and each answer. Nothing here changes or deletes one. */
import type { AuditAction } from "../contract/question.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { run } from "../sql/procedure.ts";
import { insert } from "../sql/table.ts";
import { audit } from "../sql/tables.ts";

export interface Audited {
  action: AuditAction;
  question: string;
  agent: string;
  to?: string;
  choice?: string;
  text: string;
  /** The task on whose behalf it was asked. */
  task?: { task_number: number; name: string };
}

/** The number of characters of a question or an answer that are kept here; the message has all of it. */
const textLimit = 4000;

export function* record(
  tx: Context,
  { action, question, agent, to, choice, text, task }: Audited,
  now: string,
): Procedure<void> {
  yield* tx.lock("audit");
  yield* run(
    insert(audit, {
      at: now,
      action,
      question,
      agent_id: agent,
      to_agent: to ?? null,
      choice: choice ?? null,
      text: text.slice(0, textLimit).toWellFormed(),
      surface: tx.surface ?? "sdk",
      verified: tx.verified ? 1 : 0,
      task: task?.name ?? null,
      task_number: task?.task_number ?? null,
    }),
  );
}
