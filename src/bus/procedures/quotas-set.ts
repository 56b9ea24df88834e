/** [Y5] Changing the quotas of an agent, or of everybody. */
import { person } from "../../contract/entry.ts";
import { InboxError } from "../../contract/errors.ts";
import { noLimit } from "../../contract/limit.ts";
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

export function* quotasSet(tx: Context, input: ParsedOf<"quotas.set">): Procedure<OutputOf<"quotas.set">> {
  const now = yield* tx.clock();
  yield* seen(tx, input.agent, now);
  const agent_id = input.name ?? everybody;
  const given = quotaNames.find((key) => input[key] !== undefined);
  if (input.name === person && given !== undefined)
    throw new InboxError("invalid_input", `a quota for "${person}" has no effect: the person has no quota`, {
      hint: phrase`name an agent: ${call("quotas.set", { name: blank("AGENT"), [given]: input[given] ?? noLimit })}`,
    });
  yield* changeLimits(agent_id, input);
  const all = yield* allQuotas();
  learnQuotas(tx, all, now);
  const agent = input.name ?? null;
  const set = all.find(({ name }) => name === agent);
  const limits = {
    messages_per_minute: set?.messagesPerMinute ?? null,
    bytes_per_day: set?.bytesPerDay ?? null,
    open_threads: set?.openThreads ?? null,
    sub_agents: set?.subAgents ?? null,
  };
  const payload = { agent, quotas: limits };
  yield* append(tx, { type: "quota.set", source: input.agent, payload, now });
  return { quotas: all };
}

/** Those that were not given are kept; without any, all are removed. */
function* changeLimits(agent_id: string, input: ParsedOf<"quotas.set">): Procedure<void> {
  const given = {
    messages_per_minute: input.messagesPerMinute,
    bytes_per_day: input.bytesPerDay,
    open_threads: input.openThreads,
    sub_agents: input.subAgents,
  };
  const left = Object.entries(given).flatMap(([column, limit]) => (limit === undefined ? [column] : []));
  if (left.length < quotaNames.length) {
    const row = {
      agent_id,
      messages_per_minute: given.messages_per_minute ?? null,
      bytes_per_day: given.bytes_per_day ?? null,
      open_threads: given.open_threads ?? null,
      sub_agents: given.sub_agents ?? null,
    };
    yield* run(sql`${insert(quotas, row)} ${overwriting(quotas, ...left)}`);
    yield* run(sql`delete from quotas where agent_id = ${agent_id} and messages_per_minute is null
      and bytes_per_day is null and open_threads is null and sub_agents is null`);
  } else yield* run(sql`delete from quotas where agent_id = ${agent_id}`);
}
