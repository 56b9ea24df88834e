/** The servers of a campaign, started when the first round needs them, and a fresh database on them for every round. */
import postgres from "postgres";
import { type Rabbit, type Server, startPostgres, startRabbit } from "../../support/servers.ts";

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

/** Past the program. */
export async function administer<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 2 });
  }
}
