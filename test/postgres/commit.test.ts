/** The connection is lost between the commit and its answer, and nobody can know from that what has become of the write. */
import { expect, test } from "bun:test";
import { createPostgres } from "../../src/engines/postgres/connect.ts";
import { type Inbox, openInbox } from "../../src/inbox/inbox.ts";
import { temporarySchema } from "../support/postgres.ts";
import { postgresSuite, times, within } from "../support/postgres-suite.ts";
import { type Fault, type FaultyLine, startProxy } from "../support/proxy.ts";
import { startPostgres } from "../support/servers.ts";
import { flaws, stored } from "../support/stored-postgres.ts";

interface Line {
  url: string;
  proxy: FaultyLine;
  /** Through the proxy. */
  inbox: Inbox;
  [Symbol.asyncDispose](): Promise<void>;
}

async function line(): Promise<Line> {
  const place = await temporarySchema();
  const proxy = await startProxy(place.url);
  const inbox = openInbox(proxy.url);
  await inbox.call("messages.pending", { channel: "c" }); // connected
  return {
    url: place.url,
    proxy,
    inbox,
    [Symbol.asyncDispose]: async () => {
      await inbox.close();
      await proxy.stop();
      place[Symbol.dispose]();
    },
  };
}

/** Sends while the fault strikes: exactly one message is there, with the id that was answered. */
async function sendThrough(fault: Fault, idempotencyKey?: string): Promise<void> {
  await using broken = await line();
  const struck = broken.proxy.strike(fault);
  const sent = await broken.inbox.call(
    "messages.send",
    { channel: "c", sender: "s", content: "once" },
    { idempotencyKey },
  );
  await within(14, `the fault "${fault}"`, struck);
  expect(await stored(broken.url, "select message_id, body from messages")).toEqual([
    { message_id: sent.id, body: "once" },
  ]);
  expect(await flaws(broken.url)).toEqual([]);
  // The same object goes on.
  const next = await broken.inbox.call("messages.send", { channel: "c", sender: "s", content: "next" });
  expect(next.id).toBeGreaterThan(sent.id);
}

const keys = [
  { kind: "without a key", key: undefined },
  { kind: "with a key", key: "k" },
];

postgresSuite("commit", () => {
  test.concurrent("[G4] [M9] cut before the server heard the commit: it is written by another try, once, with and without a key", async () => {
    for (const { key } of keys) await sendThrough("cut before", key);
  });

  test.concurrent("[G4] [M9] cut after the server committed: success is reported, and it is not written again, with and without a key", async () => {
    for (const { key } of keys) await sendThrough("cut after", key);
  });

  test.concurrent("[G4] [L1] a claim whose commit was not answered is the claimer's, with the token it was told", async () => {
    await using broken = await line();
    const { thread } = await broken.inbox.call("threads.send", { from: "l", to: "w", subject: "s" });
    for (const fault of ["cut after", "cut before"] as const) {
      const struck = broken.proxy.strike(fault);
      // A hand, not a call: its collecting would be another write.
      const { value } = await broken.inbox.hand("threads.claim", { agent: "w", thread: thread.threadId });
      await within(14, `the fault "${fault}"`, struck);
      expect(await stored(broken.url, "select agent_id, lease_token, attempt from leases")).toEqual([
        { agent_id: "w", lease_token: value.lease!.token, attempt: 1 },
      ]);
    }
    expect(await flaws(broken.url)).toEqual([]);
  });

  test.concurrent("[G4] [M9] silent for longer than anybody waits, or broken on one side only: in the end the write is there once", async () => {
    const faults = ["freeze before", "freeze after", "abandon before"] as const;
    const cases = faults.flatMap((fault) => keys.map(({ kind, key }) => ({ fault, kind, key })));
    const outcomes = await Promise.all(
      cases.map(async ({ fault, kind, key }) => {
        const outcome = await sendThrough(fault, key).then(
          () => "once",
          (error) => error.message,
        );
        return `${fault}, ${kind}: ${outcome}`;
      }),
    );
    expect(outcomes).toEqual(cases.map(({ fault, kind }) => `${fault}, ${kind}: once`));
  });

  test.concurrent("[G4] [M9.7] a crash can give the number of a lost transaction to another: the lost one is not reported as written", async () => {
    // What a transaction wrote reaches the disk with the next commit: so long as there is none, a crash forgets its number.
    const server = await startPostgres({ durable: false, settings: ["wal_writer_delay=10000"] });
    const proxy = await startProxy(server.url);
    try {
      await createPostgres(server.url);
      const broken = openInbox(proxy.url);
      await broken.call("messages.send", { channel: "c", sender: "s", content: "before" });
      const struck = proxy.strike("freeze before");
      const sending = broken.call("messages.send", { channel: "c", sender: "s", content: "lost?" }).then(
        () => "written",
        (error) => error,
      );
      await struck;
      await server.kill();
      await server.restart();
      const others = openInbox(server.url);
      for (const i of times(5, (i) => i))
        await others.call("messages.send", { channel: "c", sender: "other", content: `${i}` });
      proxy.cut();
      const outcome = await sending;
      const rows = await stored<{ count: number }>(
        server.url,
        "select count(*) as count from messages where body = 'lost?'",
      );
      if (outcome === "written") expect(rows).toEqual([{ count: 1 }]);
      else {
        expect(outcome.message).toContain("whether it was written is not known");
        expect(outcome.details).toEqual({ known: false });
      }
      await Promise.all([broken.close(), others.close()]);
    } finally {
      await proxy.stop();
      await server.stop();
    }
  });
});
