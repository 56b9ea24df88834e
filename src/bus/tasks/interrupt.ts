/** [A13] A message that ends the current turn of a running sub-agent, which then continues with the message. */
import { idOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { deliverable } from "../channel.ts";
import { append } from "../event.ts";
import { acknowledge, type MessageRow, messageColumns } from "../message.ts";
import { mailboxSend } from "../procedures/mailbox-send.ts";
import { changeTask, lockTasks, type TaskRow, tasksWhere } from "../task.ts";
import { findThread } from "../thread.ts";

/** The caller has checked that the task is running and that its program can be interrupted. */
export function* interruptTask(
  tx: Context,
  row: TaskRow,
  input: ParsedOf<"mailbox.send">,
): Procedure<OutputOf<"mailbox.send">> {
  const sent = yield* mailboxSend(tx, input);
  const now = yield* tx.clock();
  yield* changeTask(row, { interrupt_id: Number(sent.message.messageId.slice("msg_".length)) });
  const thread = yield* findThread(idOf("thread", row.thread_id!));
  yield* append(tx, {
    type: "task.interrupted",
    source: input.from,
    thread,
    payload: { task: row.name },
    now,
  });
  return sent;
}

/** For its keeper: the message, taken out of its inbox. Undefined if the sub-agent has collected it itself. */
export function* takeInterrupts(tx: Context, number: number, token: string): Procedure<string | undefined> {
  yield* lockTasks(tx);
  const [row] = yield* tasksWhere(sql`tasks.task_number = ${number}`);
  if (row?.status !== "running" || row.keeper_token !== token || row.interrupt_id === null) return undefined;
  const now = yield* tx.clock();
  yield* changeTask(row, { interrupt_id: null });
  const rows = yield* all<MessageRow>(sql`
    select ${messageColumns} from messages where messages.to_agent = ${row.name} and messages.kind = 'control'
      and messages.thread_id is null and ${deliverable(now)} order by messages.message_id ${tx.forUpdate}`);
  const those = rows.filter(({ payload_json }) => JSON.parse(payload_json).interrupt === true);
  for (const { message_id } of those)
    yield* acknowledge({
      agent: row.name,
      names: [row.name],
      which: sql`message_id = ${message_id}`,
      now,
      seen: true,
    });
  if (!those.length) return undefined;
  const said = those.map(
    (each) => `"${each.from_agent}" has interrupted you:\n\n${each.body || each.summary}`,
  );
  return `${said.join("\n\n")}\n\nFollow this first. Then continue with your task, as far as it still applies.`;
}
