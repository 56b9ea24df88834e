/**
 * How long a hub is without what it needs, for docs/failover.md: `bun bench/children/failover.ts [NAME …]`. Each server is
 * killed as a power failure would, on this machine; a writer at the hub tries all the time, a new write 5 ms after the last.
 */
import { chownSync } from "node:fs";
import { join } from "node:path";
import { Connection } from "rabbitmq-client";
import { bareEnvironment, program } from "../../test/support/cli.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { served } from "../../test/support/hub.ts";
import { type House, startNetwork } from "../../test/support/network.ts";
import { freePort, postgresPrograms, startPostgres, startRabbit } from "../../test/support/servers.ts";
import { stored } from "../../test/support/stored-postgres.ts";
import { until } from "../../test/support/until.ts";

const rounds = 5;
const say = (what: string, figures: readonly number[], unit = "ms") => {
  const sorted = figures.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)]!);
  console.log(`${what}: median ${at(0.5)} ${unit}, from ${at(0)} to ${at(1)} (${sorted.length})`);
};

type Hub = Awaited<ReturnType<typeof served>>;
let texts = 0;

interface Write {
  text: string;
  keyed: boolean;
  status: number;
  error: string;
  from: number;
  to: number;
}

/** Eight who write all the time, half of them with a key; what fails is not tried again. */
function writing(hub: Hub) {
  const writes: Write[] = [];
  let on = true;
  const writer = async (keyed: boolean) => {
    while (on) {
      const text = `text ${++texts}`;
      const from = performance.now();
      const key = keyed ? { idempotencyKey: text } : {};
      const { status, text: answer } = await hub.ask("POST /api/mailbox/box/send", {
        ...key,
        from: "writer",
        message: text,
      });
      const error = status === 201 ? "" : JSON.parse(answer).error.message;
      writes.push({ text, keyed, status, error, from, to: performance.now() });
      await Bun.sleep(5);
    }
  };
  const all = Promise.all(Array.from({ length: 8 }, (_, i) => writer(i % 2 === 0)));
  return {
    writes,
    /** Resolves when a write that began after `since` has been acknowledged. */
    served: (since: number) =>
      until("a write has succeeded since", () =>
        writes.find(({ status, from }) => status === 201 && from > since),
      ).then(({ to }) => to),
    async stop(): Promise<Write[]> {
      on = false;
      await all;
      return writes;
    },
  };
}

/** What was acknowledged and is not there; what was refused and is; what is there twice. */
async function compared(db: string, writes: readonly Write[]) {
  const rows = await stored<{ body: string; times: number }>(
    db,
    "select body, count(*) as times from messages where from_agent = 'writer' group by body",
  );
  const there = new Map(rows.map(({ body, times }) => [body, times]));
  return {
    acknowledged: writes.filter(({ status }) => status === 201).length,
    lost: writes.filter(({ status, text }) => status === 201 && !there.has(text)).length,
    refusedButThere: writes.filter(({ status, text }) => status !== 201 && there.has(text)).length,
    twice: rows.filter(({ times }) => times > 1).length,
  };
}

function tellRefusals(writes: readonly Write[], shown: string): void {
  const kinds = new Map<string, number[]>();
  for (const { error, keyed, from, to } of writes) {
    if (!error) continue;
    const words = `${keyed ? "keyed" : "plain"}: ${error.replaceAll(shown, "DB").replaceAll(/\d+\.\d+\.\d+\.\d+:\d+/g, "HOST")}`;
    kinds.set(words, [...(kinds.get(words) ?? []), to - from]);
  }
  for (const [words, times] of kinds)
    console.log(`  ${times.length} × ${words} (after up to ${Math.round(Math.max(...times))} ms)`);
  const slow = writes.filter(({ status }) => status === 201).map(({ from, to }) => to - from);
  console.log(`  the slowest acknowledged write took ${Math.round(Math.max(...slow))} ms`);
}

async function databaseRestarts(): Promise<void> {
  const server = await startPostgres();
  const hub = await served(server.url);
  const [down, back]: number[][] = [[], []];
  const load = writing(hub);
  await load.served(performance.now());
  for (let round = 0; round < rounds; round++) {
    const killed = performance.now();
    await server.kill();
    await Bun.sleep(1000);
    await server.restart();
    const ready = performance.now();
    const at = await load.served(killed + 1000);
    down!.push(at - killed - 1000);
    back!.push(Math.max(0, at - ready));
    await Bun.sleep(500);
  }
  const writes = await load.stop();
  say("Postgres killed, started again a second later: from its start to the first write", down!);
  say("  from the moment that it takes connections", back!);
  tellRefusals(writes, server.url);
  console.log(" ", await compared(server.url, writes));
  await hub[Symbol.asyncDispose]();
  await server.stop();
}

/** A copy that follows, as `pg_basebackup` makes it; a commit waits for it from then on. */
async function standbyOf(url: string) {
  const programs = postgresPrograms()!;
  const folder = temporaryFolder();
  const isRoot = process.getuid?.() === 0;
  const as = isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];
  const id = (flag: string) => Number(Bun.spawnSync(["id", flag, "postgres"]).stdout.toString());
  if (isRoot) chownSync(folder.path, id("-u"), id("-g"));
  const data = join(folder.path, "data");
  const env = bareEnvironment();
  const { port: from } = new URL(url);
  const copy = [
    join(programs, "pg_basebackup"),
    "-h",
    "127.0.0.1",
    "-p",
    from,
    "-U",
    "postgres",
    "-D",
    data,
    "-R",
  ];
  const copied = Bun.spawnSync([...as, ...copy, "-c", "fast"], { env, cwd: "/" });
  if (copied.exitCode !== 0) throw new Error(`pg_basebackup: ${copied.stderr}`);
  const port = freePort();
  const settings = ["listen_addresses=127.0.0.1", `port=${port}`, `unix_socket_directories=${folder.path}`];
  const flags = [...settings, "max_connections=300"].flatMap((setting) => ["-c", setting]);
  const child = Bun.spawn([...as, join(programs, "postgres"), "-D", data, ...flags], {
    env,
    cwd: "/",
    stdio: ["ignore", "ignore", "ignore"],
  });
  await until("the standby streams", async () => {
    const [row] = await stored(url, "select state from pg_stat_replication").catch(() => []);
    return row?.state === "streaming";
  });
  await stored(url, "alter system set synchronous_standby_names = '*'");
  await stored(url, "select pg_reload_conf()");
  await until("the standby is synchronous", async () => {
    const [row] = await stored(url, "select sync_state from pg_stat_replication");
    return row?.sync_state === "sync";
  });
  return {
    port,
    url: url.replace(from, String(port)),
    promote() {
      Bun.spawnSync([...as, join(programs, "pg_ctl"), "-D", data, "promote", "--no-wait"], { env, cwd: "/" });
    },
    async stop() {
      child.kill("SIGINT");
      await child.exited;
      folder[Symbol.dispose]();
    },
  };
}

async function standbyTakesOver(): Promise<void> {
  const gaps: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const primary = await startPostgres();
    const standby = await standbyOf(primary.url);
    const both = primary.url.replace(/\/postgres$/, `,127.0.0.1:${standby.port}/postgres`);
    const hub = await served(`${both}?target_session_attrs=read-write`);
    const load = writing(hub);
    await load.served(performance.now());
    await Bun.sleep(500);
    const killed = performance.now();
    await primary.kill();
    standby.promote();
    const at = await load.served(killed);
    gaps.push(at - killed);
    await Bun.sleep(500);
    const writes = await load.stop();
    tellRefusals(writes, `${both}?target_session_attrs=read-write`);
    console.log(" ", await compared(standby.url, writes));
    await hub[Symbol.asyncDispose]();
    await standby.stop();
    await primary.stop().catch(() => {});
  }
  say("Postgres killed, its standby promoted at once: from the kill to the first write", gaps);
}

async function brokerRestarts(): Promise<void> {
  const [server, broker] = await Promise.all([startPostgres(), startRabbit()]);
  const [a, b] = await Promise.all([1, 2].map(() => served(server.url, "--delivery", broker.url)));
  const [bus] = await stored<{ bus_id: string }>(server.url, "select bus_id from bus");
  const queue = `restante.${bus!.bus_id.slice(0, 16)}.inbox.reader`;
  const taken = async (): Promise<number> => {
    const waiting = b!.ask("POST /api/mailbox/reader/receive", { timeoutSeconds: 50 });
    await Bun.sleep(100);
    const started = performance.now();
    await a!.ask("POST /api/mailbox/reader/send", { from: "writer", message: `text ${++texts}` });
    await waiting;
    return performance.now() - started;
  };
  const several = async (count: number) => {
    const times: number[] = [];
    for (let i = 0; i < count; i++) times.push(await taken());
    return times;
  };
  /** Whether the reader's hub takes from the broker. */
  const carries = async (connection: Connection) => {
    const found = await connection.queueDeclare({ queue, passive: true }).catch(() => undefined);
    return (found?.consumerCount ?? 0) > 0;
  };
  await several(20);
  say("mail from one hub to a reader at another, by the broker", await several(100));
  const back: number[] = [];
  const meanwhile: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await broker.kill();
    meanwhile.push(...(await several(30)));
    await broker.restart();
    const ready = performance.now();
    const waiting = b!.ask("POST /api/mailbox/reader/receive", { timeoutSeconds: 50 });
    const watcher = new Connection({ url: broker.url, retryLow: 20, retryHigh: 50 });
    watcher.on("error", () => {});
    await until("the watcher's hub carries again", () => carries(watcher));
    back.push(performance.now() - ready);
    await a!.ask("POST /api/mailbox/reader/send", { from: "writer", message: `text ${++texts}` });
    await waiting;
    await watcher.close();
  }
  say("  while it is dead", meanwhile);
  say("  from the moment that it takes connections until it carries again", back);
  say("  mail by the broker afterwards", await several(50));
  for (const hub of [a!, b!]) await hub[Symbol.asyncDispose]();
  await Promise.all([server.stop(), broker.stop()]);
}

async function hubDies(): Promise<void> {
  const server = await startPostgres();
  const [a, b] = await Promise.all([served(server.url), served(server.url)]);
  const send = (message: string) => a.ask("POST /api/mailbox/reader/send", { from: "writer", message });
  await send("held");
  const headers = { "x-inbox-hand-over": crypto.randomUUID() };
  await a.ask("POST /api/mailbox/reader/receive", { timeoutSeconds: 0 }, { headers });
  const handed = performance.now();
  const waiter = a.ask("POST /api/mailbox/other/receive", { timeoutSeconds: 50 }).then(
    () => "answered",
    (error) => String(error),
  );
  await Bun.sleep(500);
  const killed = performance.now();
  a.kill("SIGKILL");
  console.log(
    `hub killed: its waiter is told after ${Math.round(await waiter.then(() => performance.now() - killed))} ms: ${await waiter}`,
  );
  const sent = performance.now();
  const other = b.ask("POST /api/mailbox/other/receive", { timeoutSeconds: 5 });
  await b.ask("POST /api/mailbox/other/send", { from: "writer", message: "again" });
  await other;
  console.log(`  it asks the other hub, and gets mail after ${Math.round(performance.now() - sent)} ms`);
  const found = await b.ask("POST /api/mailbox/reader/receive", { timeoutSeconds: 100 });
  const [message] = found.json.messages;
  console.log(
    `  what the dead one had handed over and nobody confirmed is handed out again ${((performance.now() - handed) / 1000).toFixed(1)} s later, redelivered: ${message.redelivered}`,
  );
  for (const hub of [a, b]) await hub[Symbol.asyncDispose]();
  await server.stop();
}

/** Nobody is told that the line is dead: packets are dropped, as by a dead switch (test/support/network.ts; needs root). */
async function silentCuts(): Promise<void> {
  await using network = startNetwork("database", "broker");
  const { database, broker } = network.address;
  const [server, carrier] = await Promise.all([
    startPostgres({ address: database }),
    startRabbit({ address: broker }),
  ]);
  const houses = await Promise.all([network.house(), network.house()]);
  const [a, b] = houses as [House, House];
  const url = "http://127.0.0.1:3456";
  const spawnIn = (house: House, args: string[]) =>
    Bun.spawn(house.inside([program, ...args]), {
      env: bareEnvironment(),
      cwd: "/",
      stdio: ["ignore", "pipe", "inherit"],
    });
  const hubs = houses.map((house) =>
    spawnIn(house, ["serve", "--db", server.url, "--delivery", carrier.url, "--json"]),
  );
  for (const { stdout } of hubs) await stdout.getReader().read();
  const inbox = async (house: House, ...args: string[]) => {
    const child = spawnIn(house, [...args, "--db", url, "--json"]);
    const answer = (await new Response(child.stdout).json()) as {
      ok: boolean;
      error?: { code: string; message: string };
    };
    return { answer, at: performance.now() };
  };
  const taken = async () => {
    const waiting = inbox(b, "receive", "--agent", "reader");
    await Bun.sleep(300);
    const sent = await inbox(a, "send", "reader", `text ${++texts}`);
    return (await waiting).at - sent.at;
  };
  const several = async (count: number) => {
    const times: number[] = [];
    for (let i = 0; i < count; i++) times.push(await taken());
    return times;
  };
  await several(3);
  say("mail between two hubs, as the command line sees it", await several(10));
  a.cut("broker");
  say("  the sender's hub is cut off from the broker, and nobody has noticed", await several(10));
  await Bun.sleep(30_000);
  say("  half a minute later", await several(10));
  a.heal("broker");
  await Bun.sleep(5000);
  a.cut("database");
  const started = performance.now();
  const calls = await Promise.all(["check", "mail", "list"].map((command) => inbox(a, command)));
  say(
    "a hub is cut off from the database: its callers are told after",
    calls.map(({ at }) => at - started),
  );
  for (const { answer } of calls) console.log(`  ${answer.error?.code}: ${answer.error?.message}`);
  a.heal("database");
  const healed = performance.now();
  await until(
    "the reader's mailbox can be read again",
    async () => (await inbox(a, "mail", "--agent", "reader")).answer.ok,
  );
  say("  and served again after the line was whole", [performance.now() - healed]);
  for (const hub of hubs) {
    hub.kill("SIGKILL");
    await hub.exited;
  }
  await Promise.all([server.stop(), carrier.stop()]);
}

const all = {
  "database-restarts": databaseRestarts,
  "standby-takes-over": standbyTakesOver,
  "broker-restarts": brokerRestarts,
  "hub-dies": hubDies,
  "silent-cuts": silentCuts,
};
const asked = process.argv.slice(2);
console.log(`with ${program}`);
for (const [name, measure] of Object.entries(all)) {
  if (asked.length && !asked.includes(name)) continue;
  console.log(`\n== ${name}`);
  await measure();
}
process.exit(0);
