/** The servers of a campaign, started when the first round needs them, and a fresh database on them for every round. */
import postgres from "postgres";
import {
  type Rabbit,
  type Server,
  type Standby,
  startPostgres,
  startRabbit,
  startStandby,
} from "../../support/servers.ts";
import { until } from "../../support/until.ts";

export const engines = ["sqlite", "postgres", "rabbitmq"] as const;
export type EngineName = (typeof engines)[number];

export interface Servers {
  postgres?: Server;
  rabbit?: Rabbit;
  /** The address of an empty database. */
  database(): Promise<string>;
  start(engine: EngineName): Promise<void>;
  stop(): Promise<void>;
}

export function serversOf(): Servers {
  let made = 0;
  const servers: Servers = {
    async start(engine) {
      // Without fsync: it is the server that is killed here, and not its machine.
      if (engine !== "sqlite") servers.postgres ??= await startPostgres({ durable: false });
      if (engine === "rabbitmq") servers.rabbit ??= await startRabbit();
    },
    async database() {
      const name = `attack_${++made}`;
      await administer(servers.postgres!.url, (sql) => sql.unsafe(`create database ${name}`));
      const url = new URL(servers.postgres!.url);
      url.pathname = `/${name}`;
      return url.href;
    },
    async stop() {
      await Promise.all([servers.postgres?.stop(), servers.rabbit?.stop()]);
    },
  };
  return servers;
}

export interface Pair {
  /** Names both: whichever takes writes is used. */
  url: string;
  primary: Server;
  standby: Standby;
  stop(): Promise<void>;
}

/** A server and its standby, for which every commit waits. */
export async function startPair(): Promise<Pair> {
  const primary = await startPostgres({ durable: false });
  const standby = await startStandby(primary);
  await administer(primary.url, async (sql) => {
    const state = async () => (await sql`select state, sync_state from pg_stat_replication`)[0];
    await until("the standby streams", async () => (await state())?.state === "streaming");
    await sql`alter system set synchronous_standby_names = '*'`;
    await sql`select pg_reload_conf()`;
    await until("the standby is synchronous", async () => (await state())?.sync_state === "sync");
  });
  const both = primary.url.replace(/\/postgres$/, `,127.0.0.1:${new URL(standby.url).port}/postgres`);
  return {
    url: `${both}?target_session_attrs=read-write`,
    primary,
    standby,
    stop: async () => void (await Promise.all([primary.stop(), standby.stop()])),
  };
}

/** Past the program. */
export async function administer<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 2 });
  }
}
