/** Whoever waits is woken by a write of another process, hub or machine; the database is all they have in common. */
import { expect, test } from "bun:test";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import postgres from "postgres";
import { createPostgres } from "../../src/engines/postgres/connect.ts";
import { diagnosePostgres } from "../../src/engines/postgres/doctor.ts";
import { hashOf } from "../../src/engines/postgres/hash.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { agentTopic } from "../../src/sql/topics.ts";
import { program, run, start } from "../support/cli.ts";
import { hubHere } from "../support/hub.ts";
import { temporarySchema } from "../support/postgres.ts";
import { postgresSuite, times, within } from "../support/postgres-suite.ts";
import { startPostgres } from "../support/servers.ts";
import { stored } from "../support/stored-postgres.ts";
import { until } from "../support/until.ts";

/** A waiter says nothing when it has begun to wait, but from then on it listens. */
const untilListening = (url: string, count: number) => {
  const schema = new URL(url).searchParams.get("schema") ?? "restante";
  const listeners = `select pid from pg_stat_activity where query = 'listen "restante_${schema}"'`;
  return until(
    "as many connections listen as expected",
    async () => (await stored(url, listeners)).length === count,
  );
};

postgresSuite("wake", () => {
  test("[W5] [W1] [G2] a message posted at one hub wakes a long poll at another, and a stream of events there", async () => {
    using place = await temporarySchema();
    await using here = await hubHere({ db: place.url });
    await using there = await hubHere({ db: place.url });
    await there.ask("POST /api/mailbox/w/check", {}); // the first event: it is there
    const polling = there.ask("POST /api/mailbox/w/receive", { timeoutSeconds: 50 });
    const watching = there.ask("GET /api/events/wait?afterEvent=1&timeoutSeconds=50");
    // A hub listens from its start, for it supervises.
    await until("two wait at the other hub", async () =>
      (await there.ask("GET /metrics")).text.includes("restante_waiters 2\n"),
    );
    const sent = await here.ask("POST /api/mailbox/w/send", { from: "s", message: "across" });
    expect(sent.status).toBe(201);
    expect((await within(14, "the long poll", polling)).json.messages).toMatchObject([{ message: "across" }]);
    expect((await within(14, "the event", watching)).json.events).toMatchObject([
      { eventType: "agent.joined", source: "s" },
      { eventType: "message.sent" },
    ]);
  });

  test("[W5] [W1] a command wakes an inbox of another process, and the other way round", async () => {
    using place = await temporarySchema();
    const inbox = openInbox(place.url);
    const waiting = inbox.call("mailbox.receive", { agent: "here", timeoutSeconds: 50 });
    await untilListening(place.url, 1);
    const sent = await run(["send", "here", "from a command", "--db", place.url]);
    expect(sent.code).toBe(0);
    expect((await within(14, "the inbox", waiting)).messages).toMatchObject([{ message: "from a command" }]);

    const args = ["receive", "--agent", "there", "--timeout-seconds", "50", "--json", "--db", place.url];
    const command = start(args, { program: [program] });
    await untilListening(place.url, 2);
    await inbox.call("mailbox.send", { from: "s", to: "there", message: "to a command" });
    expect(await within(14, "the command", command.exited)).toBe(0);
    const answer = JSON.parse(await new Response(command.stdout).text());
    expect(answer.messages).toMatchObject([{ message: "to a command" }]);
    await inbox.close();
  });

  test("[W1] a process that writes without a pause notifies others of each write, the last one included", async () => {
    using place = await temporarySchema();
    const inbox = openInbox(place.url);
    const heard = new Set<string>();
    const other = postgres(place.url.split("?", 1)[0]!, { max: 1, onnotice: () => {} });
    try {
      await other.listen(`restante_${place.schema}`, (payload) => {
        for (const code of payload.split(":", 2)[1]!.split(",")) heard.add(code);
      });
      const agents = times(100, (i) => `agent-${i}`);
      for (const to of agents) await inbox.call("messages.send", { channel: to, content: "c", sender: "s" });
      await until("all are heard of", () =>
        agents.every((name) => heard.has(hashOf(agentTopic(name)).toString(36))),
      );
    } finally {
      await other.end();
      await inbox.close();
    }
  });

  test("[C8] [G2] notifications arrive, and doctor reports it", async () => {
    using place = await temporarySchema();
    const { healthy, checks } = await diagnosePostgres(place.url);
    expect(healthy).toBe(true);
    expect(checks.find(({ name }) => name === "wake-ups")).toMatchObject({ status: "ok" });
  });

  test("[C8] [G2] doctor waits for notifications if listening takes seconds to start", async () => {
    using place = await temporarySchema();
    await using line = await slowToListen(place.url);
    const { checks } = await diagnosePostgres(line.url);
    expect(checks.find(({ name }) => name === "wake-ups")).toMatchObject({ status: "ok" });
  });

  test("[W1] [M12] one message to 3,000 wakes 2,000 waits in one process, on few connections", async () => {
    // Of its own, so that its connections can be counted.
    const server = await startPostgres({ durable: false });
    try {
      await createPostgres(server.url);
      await stored(
        server.url,
        `insert into agents (name, first_seen_at, last_seen_at)
         select 'agent-' || n, '2020-01-01T00:00:00.000Z', '2020-01-01T00:00:00.000Z' from generate_series(0, 2999) as n`,
      );
      const [waiter, sender] = [openInbox(`${server.url}?pool=4`), openInbox(`${server.url}?pool=1`)];
      const waiting = times(2000, (i) =>
        waiter.call("mailbox.receive", { agent: `agent-${i}`, timeoutSeconds: 50 }),
      );
      const all = Promise.all(waiting);
      void all.catch(() => {});
      // All have begun to wait: the process says who does.
      await until("two thousand are present", async () => (await presentIn(server.url)) === 2000);
      const ours = "select 1 from pg_stat_activity where application_name = 'restante'";
      expect((await stored(server.url, ours)).length).toBeLessThanOrEqual(4 + 1);
      const { copies } = await sender.call("mailbox.send", { from: "leader", to: "*", message: "to all" });
      expect(copies).toHaveLength(3000);
      const received = await within(30, "all of them", all);
      expect(received.every(({ messages }) => messages[0]?.message === "to all")).toBe(true);
      expect((await stored(server.url, ours)).length).toBeLessThanOrEqual(4 + 1 + 1);
      await Promise.all([waiter.close(), sender.close()]);
    } finally {
      await server.stop();
    }
  });
});

/** Stands between the driver and the server: whoever says LISTEN hears nothing for a while. */
async function slowToListen(url: string): Promise<AsyncDisposable & { url: string }> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (bytes) => {
      if (bytes.includes('listen "')) {
        upstream.pause();
        setTimeout(() => upstream.resume(), 2500);
      }
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => client.write(bytes));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const own = new URL(url);
  own.port = String((server.address() as AddressInfo).port);
  return {
    url: own.href,
    [Symbol.asyncDispose]: () =>
      new Promise((closed) => {
        server.close(() => closed());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

const presentIn = async (url: string) => {
  const text = "select count(*) as count from presence, unnest(agents) as agent where agent like 'agent-%'";
  return (await stored<{ count: number }>(url, text))[0]!.count;
};
