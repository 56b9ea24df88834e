/** `?pooler=transaction`: nothing is kept on a connection, and no notification arrives. */
import { expect, test } from "bun:test";
import { createPostgres } from "../../src/engines/postgres/connect.ts";
import { diagnosePostgres } from "../../src/engines/postgres/doctor.ts";
import { type Inbox, openInbox } from "../../src/inbox/inbox.ts";
import { hasPgbouncer, startPgbouncer } from "../support/pgbouncer.ts";
import { administrator, postgresUrl } from "../support/postgres.ts";
import { postgresSuite, times, within } from "../support/postgres-suite.ts";
import { refusal } from "../support/refusal.ts";
import { freePort } from "../support/servers.ts";
import { flaws, stored } from "../support/stored-postgres.ts";
import { until } from "../support/until.ts";

if (!hasPgbouncer) console.warn("SKIPPED: everything through a pooler, for pgbouncer is not installed");

interface Pooled {
  url: string;
  /** The same bus past the pooler. */
  direct: string;
  inbox: Inbox;
  another: Inbox;
  [Symbol.asyncDispose](): Promise<void>;
}

let made = 0;
async function pooled(): Promise<Pooled> {
  const pooler = await startPgbouncer(postgresUrl!);
  const schema = `pooled_${process.pid}_${made++}`;
  const url = `${pooler.url}?schema=${schema}&pooler=transaction&pool=4`;
  expect(await createPostgres(url)).toBe(true);
  const [inbox, another] = [openInbox(url), openInbox(url)];
  return {
    url,
    direct: `${postgresUrl}?schema=${schema}`,
    inbox,
    another,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([inbox.close(), another.close()]);
      await pooler[Symbol.asyncDispose]();
      await administrator().unsafe(`drop schema ${schema} cascade`);
    },
  };
}

postgresSuite("pooler", () => {
  test.skipIf(!hasPgbouncer)(
    "[G2] [S1] through a pooler that gives a connection to each transaction everything works as without",
    async () => {
      await using bus = await pooled();
      const { inbox, another } = bus;
      const { thread } = await inbox.call("threads.send", { from: "lead", to: "w", subject: "s" });
      const claimed = await another.call("threads.claim", { agent: "w" });
      expect(claimed.thread?.threadId).toBe(thread.threadId);
      await another.call("threads.update", { agent: "w", thread: thread.threadId, summary: "half" });
      await another.call("threads.done", { agent: "w", thread: thread.threadId, summary: "done" });
      const received = await inbox.call("mailbox.receive", { agent: "lead", max: 10, timeoutSeconds: 5 });
      expect(received.messages.map(({ message }) => message)).toContain("done");
      const seen = await inbox.call("events.watch", { afterEvent: 0, timeoutSeconds: 5 });
      expect(seen.events.map(({ eventType }) => eventType)).toContain("thread.done");
      const { agents } = await inbox.call("agents.list", {});
      expect(agents.map(({ name }) => name).sort()).toEqual(["lead", "w"]);
      // At once, on more connections than the server gives.
      await Promise.all(
        times(40, (i) =>
          (i % 2 ? inbox : another).call("messages.send", {
            channel: `c-${i % 3}`,
            sender: "s",
            content: "x",
          }),
        ),
      );
      expect(await stored(bus.direct, "select 1 from messages where from_agent = 's'")).toHaveLength(40);
      expect(await flaws(bus.direct)).toEqual([]);
    },
  );

  test.skipIf(!hasPgbouncer)(
    "[W1] [W5] no notification arrives through it: waits are woken nevertheless, and count as live",
    async () => {
      await using bus = await pooled();
      const waiting = bus.inbox.call("mailbox.receive", { agent: "w", timeoutSeconds: 50 });
      const watching = bus.inbox.call("events.watch", { timeoutSeconds: 50 });
      await within(
        10,
        "its presence",
        until(
          "the reader is present",
          async () => (await stored(bus.direct, "select 1 from presence where 'w' = any(agents)")).length,
        ),
      );
      await bus.another.call("mailbox.send", { from: "s", to: "w", message: "woken" });
      const { messages } = await within(14, "the message", waiting);
      expect(messages.map(({ message }) => message)).toEqual(["woken"]);
      expect((await within(14, "the event", watching)).woke).toBe(true);
    },
  );

  test.skipIf(!hasPgbouncer)(
    "[C8] the doctor says that nothing is heard through it, and what to do",
    async () => {
      await using bus = await pooled();
      const { healthy, checks } = await diagnosePostgres(bus.url);
      expect(healthy).toBe(true);
      expect(checks.find(({ name }) => name === "wake-ups")).toMatchObject({ status: "warn" });
    },
  );

  test.skipIf(!hasPgbouncer)(
    "[S1] an address that does not say that it is a pooler gets an error with the setting to add",
    async () => {
      await using pooler = await startPgbouncer(postgresUrl!);
      const inbox = openInbox(pooler.url);
      const error = await refusal(inbox.call("messages.pending", { channel: "c" }));
      expect(error.code).toBe("storage");
      expect(error.hint).toContain("pooler=transaction");
      await inbox.close();
    },
  );

  test.skipIf(!hasPgbouncer)("[G4] the server behind it is down: that is said, and soon", async () => {
    const nobody = `postgres://postgres@127.0.0.1:${freePort()}/t1`;
    await using pooler = await startPgbouncer(nobody, { waitSeconds: 2 });
    const inbox = openInbox(`${pooler.url}?pooler=transaction`);
    const error = await within(10, "an answer", refusal(inbox.call("messages.pending", { channel: "c" })));
    expect(error.code).toBe("storage");
    await within(14, "closing", inbox.close());
  });
});
