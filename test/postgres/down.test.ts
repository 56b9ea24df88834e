/** [G4] The server is not there, dies, is restarted, or throws us out. */
import { expect, test } from "bun:test";
import postgres from "postgres";
import { InboxError } from "../../src/contract/errors.ts";
import { createPostgres } from "../../src/engines/postgres/connect.ts";
import { type Inbox, openInbox } from "../../src/inbox/inbox.ts";
import { run } from "../support/cli.ts";
import { hubHere, served } from "../support/hub.ts";
import { inFull } from "../support/in-full.ts";
import { administrator, postgresUrl, temporarySchema } from "../support/postgres.ts";
import { postgresSuite, times, within } from "../support/postgres-suite.ts";
import { startProxy } from "../support/proxy.ts";
import { refusal } from "../support/refusal.ts";
import { freePort, type Server, startPostgres } from "../support/servers.ts";
import { flaws, stored } from "../support/stored-postgres.ts";
import { until } from "../support/until.ts";

/** A server that may be killed, with a bus in it. Killed, not without power: what it gave to the system is kept without fsync. */
async function ownServer(): Promise<Server> {
  const server = await startPostgres({ durable: false });
  await createPostgres(server.url);
  return server;
}

interface Tally {
  /** What writers were told is written. */
  acknowledged: string[];
  /** Whose fate they were told is not known. */
  unknown: string[];
  errors: number;
}

/**
 * Eight writers on two inboxes, which are never opened anew; who is told that nothing was written writes it again. They go on
 * for as long as `goesOn`: what is done to them meanwhile may take longer than any number of writes.
 */
async function writeOn(
  inboxes: readonly Inbox[],
  tally: Tally,
  goesOn: (turn: number) => boolean,
): Promise<void> {
  const writer = async (inbox: Inbox, who: number) => {
    for (let turn = 0; goesOn(turn); turn++) {
      const summary = `${who}-${turn}`;
      for (;;) {
        try {
          await inbox.call("threads.send", { from: `w-${who}`, to: "crew", subject: "s", summary });
          tally.acknowledged.push(summary);
          break;
        } catch (error) {
          if (!(error instanceof InboxError)) throw error;
          tally.errors++;
          if (error.message.includes("is not known")) {
            tally.unknown.push(summary);
            break;
          }
          expect(["storage", "busy"]).toContain(error.code);
          await Bun.sleep(10); // as anybody would before trying again
        }
      }
    }
  };
  await Promise.all(times(8, (who) => writer(inboxes[who % inboxes.length]!, who)));
}

/** Nothing acknowledged is lost, nothing is there twice, nothing half. */
async function check(url: string, { acknowledged, unknown }: Tally): Promise<void> {
  const rows = await stored<{ summary: string }>(url, "select summary from messages order by summary");
  const written = rows.map(({ summary }) => summary);
  const there = new Set(written);
  expect(acknowledged.filter((summary) => !there.has(summary))).toEqual([]);
  expect(written).toEqual([...there]);
  const expected = new Set([...acknowledged, ...unknown]);
  expect(written.filter((summary) => !expected.has(summary))).toEqual([]);
  expect(await flaws(url)).toEqual([]);
}

const listeners = (url: string) =>
  stored<{ pid: number }>(
    url,
    "select pid from pg_stat_activity where query ~ '^listen' and datname = current_database()",
  );

type Agents = { name: string; live: boolean }[];

/** An agent that was last seen long ago, so that it lives only while it waits. */
/** Long ago, so that it lives only by its waiting. */
const makeKnown = (url: string, agent: string) =>
  stored(url, `insert into agents (name, first_seen_at, last_seen_at) values ('${agent}', '2020', '2020')`);

/** It has looked and found nothing, says whoever it waits at; and it listens. */
async function untilWaiting(url: string, agent: string, agentsOf: () => Promise<Agents>): Promise<void> {
  await until("the agent lives", async () => (await agentsOf()).find(({ name }) => name === agent)?.live);
  await until("one connection listens", async () => (await listeners(url)).length === 1);
}

postgresSuite("down", () => {
  test("[G4] no server: each of many callers fails at once, with the address and without the password", async () => {
    const port = freePort();
    const inbox = openInbox(`postgres://somebody:secret@127.0.0.1:${port}/db?pool=1`);
    const calls = times(6, (i) =>
      i % 2
        ? inbox.call("messages.send", { channel: "c", sender: "s", content: "x" })
        : inbox.call("messages.pending", { channel: "c" }),
    );
    const making = createPostgres(`postgres://somebody:secret@127.0.0.1:${port}/db`);
    const errors = await within(14, "an answer", Promise.all([...calls, making].map(refusal)));
    for (const error of errors) {
      expect(error.code).toBe("storage");
      expect(error.message).toContain(`postgres://somebody@127.0.0.1:${port}/db`);
      expect(`${error.message} ${error.hint}`).not.toContain("secret");
    }
    await within(14, "closing", inbox.close());
  });

  test("[G4] no address is shown with its password, however odd that is", async () => {
    for (const odd of ["/", "@", ":", "?", "#", " ", "%"])
      for (const rest of ["127.0.0.1:1/db", "127.0.0.1:1/db?schema=NO", "127.0.0.1:none/db"]) {
        const error = await refusal(createPostgres(`postgres://somebody:pears${odd}plums@${rest}`));
        expect(`${error.message} ${error.hint}`).not.toMatch(/pears|plums/);
      }
  });

  test("[G4] the program reports it too, with exit code 50, and shows no password", async () => {
    const db = `postgres://somebody:secret@127.0.0.1:${freePort()}/db`;
    for (const args of [["init"], ["fetch", "--agent", "w"], ["doctor"]]) {
      const { code, stdout, stderr } = await within(14, args[0]!, run([...args, "--db", db, "--json"]));
      expect(code).toBe(50);
      expect(JSON.parse(stdout).error.code).toBe("storage");
      expect(stdout + stderr).not.toContain("secret");
    }
  });

  test("[G4] [C4] a hub whose server is down starts, reports it, and serves when the server is up", async () => {
    await using server = await startPostgres({ durable: false });
    await server.kill();
    const db = server.url.replace("postgres@", "postgres:secret@");
    await using hub = await served(db);
    expect(await hub.said(/cannot be reached.*\n/)).toMatch(/The hub keeps trying/);
    expect((await hub.ask("GET /healthz")).status).toBe(200);
    const ready = await hub.ask("GET /readyz");
    expect([ready.status, ready.json.error.code]).toEqual([503, "storage"]);
    const send = () => hub.ask("POST /api/messages", { channel: "c", sender: "s", content: "x" });
    expect((await send()).json.error.code).toBe("storage");
    await server.restart();
    // An empty one: what is missing is made as at any start.
    await until("the hub is ready", async () => (await hub.ask("GET /readyz")).status === 200);
    expect((await send()).status).toBe(201);
    expect(await hub.said(/is reachable\n/)).not.toContain("secret");
  });

  test("[G4] [S3] [X1] a hub that reaches its server late ends if it would not have started", async () => {
    await using server = await startPostgres({ durable: false });
    await createPostgres(server.url);
    await stored(server.url, "update bus set version = 999 returning 1 as done");
    await server.kill();
    await using newer = await served(server.url);
    await using open = await served(`${server.url}?schema=other`, "--host", "0.0.0.0");
    await server.restart();
    expect([await newer.exited, await open.exited]).toEqual([50, 30]);
    expect(await newer.said(/newer inbox/)).toContain("schema version 999");
    expect(await open.said(/token create/)).toContain("there is no token yet");
  });

  test("[G4] a hub with a wrong address, user or database does not start", async () => {
    const { hostname, port } = new URL(postgresUrl!);
    const at = `${hostname}:${port}`;
    for (const db of [
      "postgres://u:secret@no-such-host.invalid/db",
      `postgres://nobody_at_all:secret@${at}/postgres`,
      `postgres://postgres:secret@${at}/no_such_database`,
      `postgres://postgres:secret@${at}/postgres?pool=none`,
    ]) {
      const { code, stdout, stderr } = await within(10, db, run(["serve", "--port", "0", "--db", db]));
      expect([db, code, stdout]).toEqual([db, db.includes("pool") ? 30 : 50, ""]);
      expect(stderr).not.toContain("secret");
    }
  });

  test("[G4] a proxy that accepts and closes the connection counts as no server, and soon", async () => {
    let calls = 0;
    const listener = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        open(socket) {
          calls++;
          socket.end();
        },
        data() {},
      },
    });
    const db = `postgres://u:secret@127.0.0.1:${listener.port}/db`;
    const inbox = openInbox(db);
    const asked = [inbox.call("messages.pending", { channel: "c" }), createPostgres(db)].map(refusal);
    try {
      const errors = await within(14, "an answer", Promise.all(asked));
      expect(errors.map(({ code }) => code)).toEqual(["storage", "storage"]);
      expect(calls).toBeLessThan(100); // it is not asked as fast as it can hang up
    } finally {
      listener.stop(true);
      await Promise.allSettled(asked);
    }
    await within(14, "closing", inbox.close());
  });

  test("[G4] of several hosts the first that is up serves; if none is, every caller is told", async () => {
    using place = await temporarySchema();
    const several = (...ports: unknown[]) =>
      place.url.replace(/127\.0\.0\.1:\d+/, ports.map((port) => `127.0.0.1:${port}`).join(","));
    const [dead, other] = [freePort(), freePort()];
    const [inbox, lonely] = [
      openInbox(several(dead, new URL(place.url).port)),
      openInbox(several(dead, other)),
    ];
    const calls = times(6, () => inbox.call("messages.pending", { channel: "c" }));
    for (const { count } of await within(14, "an answer", Promise.all(calls))) expect(count).toBe(0);
    const refused = times(6, () => lonely.call("messages.pending", { channel: "c" })).map(refusal);
    for (const { code } of await within(14, "a refusal", Promise.all(refused))) expect(code).toBe("storage");
    await within(14, "closing", Promise.all([inbox.close(), lonely.close()]));
  });

  test("[G4] killed and restarted under eight writers, three times: nothing acknowledged is lost, nothing is half-written or there twice", async () => {
    await using server = await ownServer();
    const inboxes = [openInbox(`${server.url}?pool=4`), openInbox(`${server.url}?pool=4`)];
    const tally: Tally = { acknowledged: [], unknown: [], errors: 0 };
    const each = inFull(60, 150);
    let killing = true;
    const writing = writeOn(inboxes, tally, (turn) => killing || turn < each);
    for (const written of [each, 3 * each, 5 * each]) {
      await until("the next writes are acknowledged", () => tally.acknowledged.length >= written);
      await server.kill();
      const seen = tally.errors;
      await until("a write has failed", () => tally.errors > seen); // they have noticed
      await server.restart();
    }
    killing = false;
    await writing;
    console.log(
      `${tally.acknowledged.length} written, ${tally.errors} refused, ${tally.unknown.length} of unknown fate`,
    );
    expect(tally.acknowledged.length + tally.unknown.length).toBeGreaterThanOrEqual(8 * each);
    await check(server.url, tally);
    for (const inbox of inboxes) await inbox.close();
  });

  test("[G4] [W1] a wait that is open while the server dies gets what is sent when it is back, each time", async () => {
    await using server = await ownServer();
    const inboxes = [openInbox(server.url), openInbox(server.url)] as const;
    const [waiter, sender] = inboxes;
    await sender.call("agents.list", {}); // makes the tables
    for (let turn = 0; turn < inFull(2, 4); turn++) {
      const agent = `w-${turn}`;
      const send = (from: string, message: string) =>
        sender.call("mailbox.send", { from, to: agent, message });
      await makeKnown(server.url, agent);
      const waiting = waiter.call("mailbox.receive", { agent, from: "boss", timeoutSeconds: 50 });
      void waiting.catch(() => {}); // it is looked at below
      await untilWaiting(server.url, agent, async () => (await waiter.call("agents.list", {})).agents);
      // Every second time it is woken again and again, for nothing, until there is no server.
      let noisy = turn % 2 === 1;
      const before = noisy ? (await stored(server.url, "select 1 from messages")).length : 0;
      const noise = (async () => {
        while (noisy) await send("other", "noise");
      })().catch(() => {});
      if (noisy)
        await until(
          "twenty more messages are stored",
          async () => (await stored(server.url, "select 1 from messages")).length > before + 20,
        );
      await server.kill();
      noisy = false;
      await server.restart();
      await noise;
      // The first write after that may meet a server that is not there yet.
      await until("a message is sent again", () => send("boss", `${turn}`).catch(() => undefined));
      const { messages } = await within(14, "the message", waiting);
      expect(messages.map(({ message }) => message)).toEqual([`${turn}`]);
    }
    // However often it was lost, one connection listens.
    await until("one connection listens", async () => (await listeners(server.url)).length === 1);
    for (const inbox of inboxes) await inbox.close();
  });

  test("[G4] [W1] a wait whose time is over while the server is down fails with that, not with an empty answer", async () => {
    await using server = await ownServer();
    const line = await startProxy(server.url);
    const inbox = openInbox(line.url);
    await inbox.call("agents.list", {}); // makes the tables
    await makeKnown(server.url, "w");
    /** Waits that have begun; undefined where the machine took so long that one is over already. */
    const begun = async (timeoutSeconds: number) => {
      let over = false;
      const waits = [
        inbox.call("events.watch", { timeoutSeconds }),
        inbox.call("mailbox.receive", { agent: "w", timeoutSeconds }),
        inbox.call("threads.claim", { agent: "w", wait: true, timeoutSeconds }),
      ].map((wait) => refusal(wait.finally(() => (over = true))));
      const all = Promise.all(waits);
      void all.catch(() => {}); // it is looked at below
      const live = async () => (await inbox.call("agents.list", {})).agents;
      await Promise.race([untilWaiting(server.url, "w", live), Promise.allSettled(waits)]);
      return over ? undefined : { all };
    };
    let timeoutSeconds = 1;
    const { all } = await until("three wait", () => {
      timeoutSeconds *= 2;
      return begun(timeoutSeconds);
    });
    await line.stop();
    for (const { code, message } of await within(timeoutSeconds + 12, "the end of the waits", all))
      expect([code, message]).toEqual(["storage", expect.stringContaining("cannot be reached")]);
    await inbox.close();
  });

  test("[G4] thrown out by the server again and again: no acknowledged write is lost or there twice, no connection is left over", async () => {
    await using server = await ownServer();
    const inboxes = [openInbox(`${server.url}?pool=4`), openInbox(`${server.url}?pool=4`)];
    const tally: Tally = { acknowledged: [], unknown: [], errors: 0 };
    const writing = { over: false };
    let thrown = 0;
    const ours = "from pg_stat_activity where application_name = 'restante'";
    const driver = postgres(server.url, { max: 1 });
    const throwing = (async () => {
      while (!writing.over) {
        const victim = `select pid ${ours} and state <> 'idle' order by random() limit 1`;
        thrown += (await driver.unsafe(`select pg_terminate_backend(pid) from (${victim}) as one`)).length;
        await Bun.sleep(15); // so that something is written in between
      }
    })();
    await writeOn(inboxes, tally, (turn) => turn < 30 || thrown <= 10).finally(() => {
      writing.over = true;
    });
    await throwing;
    console.log(
      `thrown out ${thrown} times, ${tally.errors} refused, ${tally.unknown.length} of unknown fate`,
    );
    expect(thrown).toBeGreaterThan(10);
    expect(tally.unknown).toEqual([]); // the server was there all the time, and could be asked
    await check(server.url, tally);
    // Who was thrown out last may still be on its way out.
    await until(
      "no more connections are left than the pools have",
      async () => Number((await driver.unsafe(`select count(*) as count ${ours}`))[0]!.count) <= 8,
    );
    for (const inbox of inboxes) await inbox.close();
    await within(
      14,
      "the end of all connections",
      until(
        "no connection of ours is left",
        async () => (await driver.unsafe(`select 1 ${ours}`)).length === 0,
      ),
    );
    await driver.end();
  });

  test("[W1] [G4] the listening connection is lost: a waiter is woken nevertheless", async () => {
    using place = await temporarySchema();
    const [waiter, sender] = [openInbox(place.url), openInbox(place.url)];
    const listening = () =>
      stored<{ pid: number }>(
        place.url,
        `select pid from pg_stat_activity where query = 'listen "restante_${place.schema}"'`,
      );
    for (let turn = 0; turn < 5; turn++) {
      const waiting = waiter.call("mailbox.receive", { agent: "w", timeoutSeconds: 50 });
      const [{ pid }] = (await until("a connection listens again", async () => {
        const found = await listening();
        return found.length && found;
      })) as [{ pid: number }];
      await Promise.all([
        administrator().unsafe(`select pg_terminate_backend(${pid})`),
        sender.call("mailbox.send", { from: "s", to: "w", message: `${turn}` }),
      ]);
      expect((await within(14, "the message", waiting)).messages).toHaveLength(1);
    }
    await Promise.all([waiter.close(), sender.close()]);
  });

  test("[G4] [C4] a hub survives its database: it reports that it runs and is not ready, and serves again when it is back", async () => {
    await using server = await ownServer();
    await using hub = await hubHere({ db: server.url.replace("postgres@", "postgres:secret@") });
    const send = () => hub.ask("POST /api/messages", { channel: "c", sender: "s", content: "x" });
    expect((await send()).status).toBe(201);
    expect((await hub.ask("GET /readyz")).status).toBe(200);
    await makeKnown(server.url, "w");
    const waiting = hub.ask("POST /api/mailbox/w/receive", { timeoutSeconds: 50 });
    await untilWaiting(server.url, "w", async () => (await hub.ask("GET /api/agents")).json.agents);
    await server.kill();

    expect((await within(14, "/healthz", hub.ask("GET /healthz"))).status).toBe(200);
    const ready = await within(14, "/readyz", hub.ask("GET /readyz"));
    expect(ready.status).toBeGreaterThanOrEqual(500);
    expect(ready.json).toMatchObject({ ok: false, error: { code: "storage" } });
    const refused = await within(14, "a write", send());
    expect(refused.status).toBeGreaterThanOrEqual(500);
    for (const answer of [ready, refused, await hub.ask("GET /healthz")])
      expect(answer.text).not.toContain("secret");

    await server.restart();
    await until("the hub is ready", async () => (await hub.ask("GET /readyz")).status === 200);
    expect((await send()).status).toBe(201);
    expect((await hub.ask("POST /api/mailbox/w/send", { from: "s", message: "back" })).status).toBe(201);
    const received = await within(14, "the long poll", waiting);
    expect(received.json.messages).toMatchObject([{ message: "back" }]);
  });
});
