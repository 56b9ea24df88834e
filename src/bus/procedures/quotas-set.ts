/** [Y5] Changing the quotas of an agent, or of everybody. */
import { person } from "../../contract/entry.ts";
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { blank, call, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { insert, overwriting } from "../../sql/table.ts";
import { quotas } from "../../sql/tables.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";
import { allQuotas, everybody, learnQuotas } from "../quota.ts";

const quotaNames = ["messagesPerMinute", "bytesPerDay", "openThreads", "subAgents"] as const;
const overwritten = overwriting(quotas);

export function* quotasSet(tx: Context, input: ParsedOf<"quotas.set">): Procedure<OutputOf<"quotas.set">> {
  const now = yield* tx.clock();
  yield* seen(tx, input.agent, now);
  const row = {
    agent_id: input.name ?? everybody,
    messages_per_minute: input.messagesPerMinute ?? null,
    bytes_per_day: input.bytesPerDay ?? null,
    open_threads: input.openThreads ?? null,
    sub_agents: input.subAgents ?? null,
  };
  const { agent_id, ...limits } = row;
  const given = quotaNames.find((key) => input[key] !== undefined);
  if (input.name === person && given !== undefined)
    throw new InboxError("invalid_input", `a quota for "${person}" has no effect: the person has no quota`, {
      hint: phrase`name an agent: ${call("quotas.set", { name: blank("AGENT"), [given]: input[given]! })}`,
    });
  if (Object.values(limits).some((limit) => limit !== null))
    yield* run(sql`${insert(quotas, row)} ${overwritten}`);
  else yield* run(sql`delete from quotas where agent_id = ${agent_id}`);
  const all = yield* allQuotas();
  learnQuotas(tx, all, now);
  const payload = { agent: input.name ?? null, quotas: limits };
  yield* append(tx, { type: "quota.set", source: input.agent, payload, now });
  return { quotas: all };
}
