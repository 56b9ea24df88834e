/**
 * Runs a command with the servers the tests need: `bun scripts/with-servers.ts COMMAND ARGS`. Each is started here, with a
 * folder and a port of its own, unless TEST_POSTGRES or TEST_RABBITMQ names one that runs; and stopped here. Where a
 * program is missing its suites are skipped by name.
 */
import { endAllLeftByKilledRuns } from "../test/support/left-behind.ts";
import {
  hasRabbit,
  postgresPrograms,
  postgresTemplate,
  type Server,
  startPostgres,
  startRabbit,
} from "../test/support/servers.ts";

const started: Server[] = [];
const env: Record<string, string | undefined> = { ...process.env };

async function provide(name: string, installed: boolean, start: () => Promise<Server>): Promise<void> {
  if (env[name]) return console.log(`${name} is given`);
  if (!installed) return console.log(`${name}: the server is not installed, its suites are skipped`);
  const server = await start();
  started.push(server);
  env[name] = server.url;
  console.log(`${name}=${server.url}`);
}

const template = postgresPrograms() ? postgresTemplate() : undefined;
Object.assign(process.env, template?.env);
Object.assign(env, template?.env);
// Without fsync: what a power failure leaves is tested on servers of those tests' own.
await Promise.all([
  provide("TEST_POSTGRES", postgresPrograms() !== undefined, () => startPostgres({ durable: false })),
  provide("TEST_RABBITMQ", hasRabbit(), startRabbit),
]);
const child = Bun.spawn(process.argv.slice(2), { env, stdio: ["inherit", "inherit", "inherit"] });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
const code = await child.exited;
const left = await endAllLeftByKilledRuns();
if (left) console.log(`the tests left ${left === 1 ? "a process" : `${left} processes`} running; ended`);
await Promise.all(started.map((server) => server.stop()));
template?.[Symbol.dispose]();
process.exit(code);
