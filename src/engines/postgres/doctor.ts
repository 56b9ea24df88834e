/** [C8] What can be wrong with the server and the bus in it, and what to do about it. Changes nothing. */
import { type Diagnosis, diagnosis, type Finding, well as ok, reasons } from "../../contract/finding.ts";
import { blank, call, phrase, type Text } from "../../contract/phrase.ts";
import { sleep } from "../../platform/runtime.ts";
import type { Row } from "../../sql/procedure.ts";
import { newestHub } from "../tables.ts";
import { parseAddress } from "./address.ts";
import { greet } from "./connect.ts";
import { pooledSettings } from "./connection.ts";
import { translate } from "./errors.ts";
import { openPool, type Pool } from "./pool.ts";
import { openWake } from "./wake.ts";

const warn = (name: string, detail: string, fix: Text, left: Text = reasons.server): Finding => ({
  ...{ name, status: "warn", detail, fix, left },
});

/** Queries a bus with a separate pool. */
async function looking<T>(text: string, work: (ask: Ask, pool: Pool) => Promise<T>): Promise<T> {
  const address = parseAddress(text);
  const pool = openPool(address, (connection) => greet(connection, address));
  const ask = (query: string): Promise<Row[]> =>
    pool.use(async (connection) => {
      if (!address.pooled) return connection.run(query);
      await connection.run("begin");
      await connection.script(pooledSettings(address));
      return connection.run(query).finally(() => void connection.run("commit").catch(() => {}));
    });
  try {
    return await work(ask, pool);
  } catch (error) {
    throw translate(error, address.shown);
  } finally {
    await pool.close();
  }
}

export const notedHub = (text: string): Promise<string | null> =>
  looking(text, async (ask) => ((await ask(newestHub))[0]?.hub_url as string | undefined) ?? null);

export const diagnosePostgres = (text: string): Promise<Diagnosis> =>
  looking(text, async (ask, pool) => {
    return diagnosis([
      await engine(ask),
      await schema(ask, parseAddress(text).shown),
      await durability(ask),
      await connections(ask),
      await clock(ask),
      await wakeUps(text, pool),
      await leases(ask),
      await deadLetters(ask),
    ]);
  });

type Ask = (query: string) => Promise<Row[]>;
const first = async (ask: Ask, query: string) => (await ask(query))[0]!;

async function engine(ask: Ask): Promise<Finding> {
  const { version, standby } = await first(
    ask,
    "select current_setting('server_version') as version, case when pg_is_in_recovery() then 1 else 0 end as standby",
  );
  if (standby !== 1) return ok("engine", `Postgres ${version}`);
  return {
    name: "engine",
    status: "fail",
    detail: `Postgres ${version}, a standby: it does not accept writes`,
    fix: "name the primary, or both hosts with target_session_attrs=read-write",
    left: reasons.server,
  };
}

async function schema(ask: Ask, shown: string): Promise<Finding> {
  const { version, place } = await first(ask, "select version, current_schema() as place from bus");
  return ok("schema", `version ${version} in schema ${place} of ${shown}`);
}

async function durability(ask: Ask): Promise<Finding> {
  const { fsync, sync } = await first(
    ask,
    "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as sync",
  );
  if (fsync === "on" && sync !== "off") return ok("durability", `fsync on, synchronous_commit ${sync}`);
  return warn(
    "durability",
    `fsync ${fsync}, synchronous_commit ${sync}: a power failure can lose acknowledged writes`,
    "set fsync = on and synchronous_commit = on",
  );
}

async function connections(ask: Ask): Promise<Finding> {
  const { used, most } = await first(
    ask,
    "select (select count(*) from pg_stat_activity where backend_type = 'client backend') as used, current_setting('max_connections')::integer as most",
  );
  const detail = `${used} of ${most} in use`;
  if (Number(used) < Number(most) * 0.8) return ok("connections", detail);
  return warn("connections", detail, "raise max_connections, or put pool=N into the address");
}

/** Only for people who compare times: leases use the server's clock only. */
async function clock(ask: Ask): Promise<Finding> {
  const before = Date.now();
  const { now } = await first(ask, "select extract(epoch from clock_timestamp())::float8 * 1000 as now");
  const off = Math.round(Number(now) - (before + Date.now()) / 2);
  if (Math.abs(off) < 2000) return ok("clock", `the server's, ${Math.abs(off)} ms from this machine's`);
  return warn(
    "clock",
    `the server's, which is ${Math.abs(off / 1000).toFixed(0)} s ${off > 0 ? "ahead of" : "behind"} this machine's`,
    "set this machine's clock; leases and times on the bus are not affected",
    reasons.machine,
  );
}

async function wakeUps(text: string, pool: Pool): Promise<Finding> {
  const wake = openWake(parseAddress(text), pool);
  const subscription = wake.subscribe(["doctor"]);
  try {
    // Connecting may take long. The first notification may be late because this process or the server was suspended: wait another second.
    for (let i = 0; i < 200 && wake.hears() === undefined; i++) await sleep(50);
    for (let i = 0; i < 20 && !wake.hears(); i++) await sleep(50);
    if (wake.hears()) return ok("wake-ups", "notifications arrive");
    return warn(
      "wake-ups",
      "no notifications arrive: waiting works, but polls ten times a second",
      "connect directly instead of through the pooler, or use session pooling",
    );
  } finally {
    subscription.close();
    await wake.close();
  }
}

async function leases(ask: Ask): Promise<Finding> {
  const rows = await ask(`select leases.thread_id as id, leases.agent_id as agent from leases
    join threads on threads.thread_id = leases.thread_id
    where leases.released_at is null and threads.status in ('claimed', 'in_progress', 'blocked')
      and leases.expires_at <= to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    order by leases.expires_at, leases.thread_id limit 100`);
  const [oldest] = rows;
  if (!oldest) return ok("leases", "none has expired");
  const count = `${rows.length}${rows.length === 100 ? " or more" : ""}`;
  const thread = `thr_${oldest.id}`;
  return warn(
    "leases",
    `${count} expired and nobody has taken over, the oldest: ${thread} of "${oldest.agent}"`,
    phrase`${call("threads.claim", { thread, agent: blank("NAME") })}, or ${call("threads.cancel", { thread, agent: blank("NAME") })}`,
    reasons.decision,
  );
}

async function deadLetters(ask: Ask): Promise<Finding> {
  const { count } = await first(ask, "select count(*) as count from messages where dead_at is not null");
  if (!count) return ok("dead letters", "none");
  return warn(
    "dead letters",
    `${count} waiting to be requeued or purged`,
    phrase`${call("deadLetters.list")} shows them; ${call("deadLetters.requeue", { id: blank("ID") })}, or ${call("deadLetters.purge", { id: blank("ID") })}`,
    reasons.decision,
  );
}
