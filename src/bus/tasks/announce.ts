/** [A11] Growing usage is reported as events, at most once in a few seconds for each task. */
import { idOf } from "../../contract/ids.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { append } from "../event.ts";
import { expiryAfter } from "../expiry.ts";
import type { TaskRow } from "../task.ts";
import { findThread } from "../thread.ts";
import { usageInPayload, usageOf } from "../usage.ts";

const restSeconds = 5;

/** Called with each report, and with each beat of its keeper, so that the last of many reports is announced, too. */
export function* announceUsage(tx: Context, { task_number, thread_id, name }: TaskRow): Procedure<void> {
  const used = usageInPayload(yield* usageOf(task_number))?.usage;
  if (!used || thread_id === null) return;
  const now = yield* tx.clock();
  const last = yield* one<{ payload_json: string; created_at: string }>(sql`
    select events.payload_json, events.created_at from events
    where events.thread_id = ${thread_id} and events.event_type = 'task.used' order by events.event_id desc limit 1`);
  if (
    last &&
    (last.created_at > expiryAfter(now, -restSeconds) || isSame(JSON.parse(last.payload_json), used))
  )
    return;
  const thread = yield* findThread(idOf("thread", thread_id));
  yield* append(tx, { type: "task.used", source: name, thread, payload: { task: name, ...used }, now });
}

type Used = NonNullable<ReturnType<typeof usageInPayload>>["usage"];

const isSame = (told: Used, used: Used) =>
  told.tokens === used.tokens && told.cost_usd === used.cost_usd && told.turns === used.turns;
