/** [B4] [G2] Several hubs of one bus behind a load balancer that sends every request to another one. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { connect } from "../../src/surfaces/client/client.ts";
import { temporaryFolder } from "../support/folder.ts";
import { hubHere } from "../support/hub.ts";
import { postgresUrl, temporarySchema } from "../support/postgres.ts";
import { refusal } from "../support/refusal.ts";
import { type Balancer, startBalancer } from "../support/round-robin.ts";
import { until } from "../support/until.ts";

interface Place {
  url: string;
  [Symbol.dispose](): void;
}

const places: { engine: string; make(): Promise<Place> }[] = [
  {
    engine: "sqlite",
    make: async () => {
      const folder = temporaryFolder();
      return { url: join(folder.path, "coord.db"), [Symbol.dispose]: () => folder[Symbol.dispose]() };
    },
  },
  ...(postgresUrl ? [{ engine: "postgres", make: async () => temporarySchema() }] : []),
];
if (!postgresUrl) console.warn("SKIPPED: several hubs on Postgres, for TEST_POSTGRES names no server");

type Client = ReturnType<typeof connect>;

interface Bus {
  inbox: Client;
  balancer: Balancer;
  /** A client whose answers to this path are lost, so many times. */
  losing(path: string, times: number): Client;
}

describe.each(places)("$engine", ({ make }) => {
  async function behind(work: (bus: Bus) => Promise<void>): Promise<void> {
    using place = await make();
    await using one = await hubHere({ db: place.url });
    await using two = await hubHere({ db: place.url });
    await using balancer = startBalancer([one, two]);
    const losing = (path: string, times: number) =>
      connect(balancer.url, {
        fetch: async (url, init) => {
          const response = await fetch(url, init);
          if (!url.includes(path) || times-- <= 0) return response;
          await response.arrayBuffer();
          throw new TypeError("the line was cut");
        },
      });
    await work({ inbox: connect(balancer.url), balancer, losing });
    expect(Math.min(...balancer.passed)).toBeGreaterThan(0);
  }

  const send = (inbox: Client, message = "m") => inbox.call("mailbox.send", { from: "s", to: "w", message });
  const status = (inbox: Client, id: number) => inbox.call("messages.status", { id });

  test("[B4] [C4] mail is confirmed at whichever hub comes next, and collected once", () =>
    behind(async ({ inbox, balancer }) => {
      for (let id = 1; id <= 20; id++) {
        await send(inbox);
        const { messages } = await inbox.call("mailbox.receive", { agent: "w", timeoutSeconds: 5 });
        expect(messages).toMatchObject([{ id, redelivered: false }]);
        expect(await status(inbox, id)).toMatchObject({ status: "acked", handed: 1, ackedBy: "w" });
        // So that the hub that answers is not always the same.
        if (id % 2) await inbox.call("agents.list", {});
      }
      expect(Math.min(...balancer.passed)).toBeGreaterThan(20);
    }));

  test("[B3] [B4] a manual ack and a release at one hub are known at every hub", () =>
    behind(async ({ inbox }) => {
      await send(inbox);
      const manual = await inbox.call("mailbox.check", { agent: "w", ack: "manual" });
      expect(manual.messages).toMatchObject([{ id: 1 }]);
      expect(await inbox.call("mailbox.check", { agent: "w" })).toMatchObject({ total: 0, hidden: 1 });
      await inbox.call("messages.ack", { id: 1, agent: "w" });
      await send(inbox);
      const handed = await inbox.hand("mailbox.check", { agent: "w" });
      await handed.release!();
      expect(await status(inbox, 2)).toMatchObject({ status: "pending", handed: 0 });
      expect((await refusal(handed.confirm!())).code).toBe("conflict");
    }));

  test("[T11] [M3] claim, wait-reply, show and a reader's position are confirmed anywhere", () =>
    behind(async ({ inbox }) => {
      await inbox.call("threads.send", { from: "lead", to: "w", subject: "s", summary: "task" });
      await inbox.call("threads.claim", { agent: "w" });
      expect(await status(inbox, 1)).toMatchObject({ status: "acked", ackedBy: "w" });
      const reply = (summary: string) =>
        inbox.call("threads.reply", { from: "lead", to: "w", thread: "thr_1", kind: "answer", summary });
      await reply("one");
      const woken = await inbox.call("threads.waitReply", { agent: "w", thread: "thr_1", timeoutSeconds: 5 });
      expect(woken.messages).toMatchObject([{ messageId: "msg_2" }]);
      expect((await status(inbox, 2)).status).toBe("acked");
      await reply("two");
      await inbox.call("threads.show", { agent: "w", thread: "thr_1", markRead: true });
      expect((await status(inbox, 3)).status).toBe("acked");
      for (const content of ["a", "b"])
        await inbox.call("messages.send", { channel: "news", sender: "s", content });
      const read = () =>
        inbox.call("messages.inbox", { channel: "news", reader: "r", limit: 1, commit: true });
      expect((await read()).messages).toMatchObject([{ content: "a" }]);
      expect((await read()).messages).toMatchObject([{ content: "b" }]);
      expect((await read()).messages).toEqual([]);
    }));

  test("[B4] [L1] a lease whose answer could not be used is given back at another hub, once and twice", () =>
    behind(async ({ inbox }) => {
      await inbox.call("threads.send", { from: "lead", to: "w", subject: "s", summary: "task" });
      const handed = await inbox.hand("threads.claim", { agent: "w" });
      await handed.release!();
      await handed.release!();
      const { thread } = await inbox.call("threads.show", { thread: "thr_1" });
      expect(thread.status).toBe("pending");
      // What was one's own before is not given away with an answer.
      const { lease } = await inbox.call("threads.claim", { agent: "w" });
      const again = await inbox.hand("threads.claim", {
        agent: "w",
        thread: "thr_1",
        leaseToken: lease!.token,
      });
      await again.release?.();
      expect((await inbox.call("threads.show", { thread: "thr_1" })).thread.status).toBe("claimed");
    }));

  test("[B4] an answer that is lost on its way is given back at another hub, at once", () =>
    behind(async ({ inbox, losing }) => {
      await send(inbox);
      await inbox.call("threads.send", { from: "lead", to: "w", subject: "s", summary: "task" });
      const unlucky = losing("/receive", 100);
      const lost = await refusal(unlucky.call("mailbox.receive", { agent: "w", timeoutSeconds: 5 }));
      expect([lost.code, lost.message]).toEqual(["storage", expect.stringContaining("gave no answer")]);
      const { status: now, handed } = await status(inbox, 1);
      expect(now).toBe("pending");
      const { messages } = await losing("/receive", 1).call("mailbox.receive", { agent: "w" });
      expect(messages).toMatchObject([{ id: 1 }]);
      expect((await status(inbox, 1)).handed).toBe(handed + 2);
      await refusal(losing("/claim", 100).call("threads.claim", { agent: "w" }));
      expect((await inbox.call("threads.show", { thread: "thr_1" })).thread.status).toBe("pending");
      // The holder's own lease outlives a lost answer to a second claim.
      const claimed = await losing("/claim", 1).call("threads.claim", { agent: "w" });
      expect(claimed.lease?.attempt).toBe(1);
      await refusal(losing("/claim", 100).call("threads.claim", { agent: "w" }));
      expect((await inbox.call("threads.show", { thread: "thr_1" })).thread.status).toBe("claimed");
    }));

  test("[B4] a confirmation whose answer is lost is said again, and is the same", () =>
    behind(async ({ inbox, losing }) => {
      await send(inbox);
      const { messages } = await losing("/confirm", 2).call("mailbox.receive", { agent: "w" });
      expect(messages).toMatchObject([{ id: 1 }]);
      expect((await status(inbox, 1)).status).toBe("acked");
    }));

  test("[W4] [B4] a wait that is aborted behind the balancer consumes nothing", () =>
    behind(async ({ inbox }) => {
      const ending = new AbortController();
      const waiting = inbox.call("mailbox.receive", { agent: "w" }, { signal: ending.signal });
      await send(inbox, "for another").then(() => waiting);
      const second = inbox.call("mailbox.receive", { agent: "w" }, { signal: ending.signal });
      ending.abort();
      await expect(second).rejects.toThrow();
      await send(inbox);
      await until(
        "the other hub has handed over the message",
        async () => (await inbox.call("mailbox.check", { agent: "w" })).total === 1,
      );
    }));

  test("[C6] [G4] a proxy's 502, 503 or 504 is not an answer: calls that can be repeated are repeated, others are reported", () =>
    behind(async ({ inbox, balancer }) => {
      for (const code of [502, 503, 504]) {
        balancer.fail(code, 2);
        await send(inbox);
        balancer.fail(code, 2);
        await inbox.call("threads.list", {});
      }
      expect((await inbox.call("mailbox.list", { agent: "w" })).total).toBe(3);
      balancer.fail(502, 1);
      expect((await inbox.call("mailbox.receive", { agent: "w" })).total).toBe(1);
      balancer.fail(502, 100);
      const error = await refusal(inbox.call("mailbox.receive", { agent: "w" }));
      expect([error.code, error.message]).toEqual(["storage", expect.stringContaining("502")]);
      expect((await refusal(send(inbox))).message).toContain("502");
      balancer.fail(0, 0);
    }));
});
