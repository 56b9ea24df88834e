/** Many at once, each with a pool of connections of its own as another process would have: one wins, nobody is told a lie. */
import { expect, test } from "bun:test";
import postgres from "postgres";
import type { InboxError } from "../../src/contract/errors.ts";
import type { Engine } from "../../src/engines/engine.ts";
import { openPostgres } from "../../src/engines/postgres/engine.ts";
import { type Inbox, openInbox } from "../../src/inbox/inbox.ts";
import { one, type Procedure, run } from "../../src/sql/procedure.ts";
import { sql } from "../../src/sql/sql.ts";
import { postgresUrl, temporarySchema } from "../support/postgres.ts";
import { postgresSuite, times } from "../support/postgres-suite.ts";
import { flaws, stored } from "../support/stored-postgres.ts";
import { until } from "../support/until.ts";

/** A bus, and several inboxes on it. */
async function crowd(count: number) {
  const place = await temporarySchema();
  const inboxes = times(count, () => openInbox(place.url));
  // Connected before the race, so that it is one.
  await Promise.all(
    inboxes.flatMap((inbox) => times(4, () => inbox.call("messages.pending", { channel: "c" }))),
  );
  return {
    url: place.url,
    of: (who: number): Inbox => inboxes[who % count]!,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(inboxes.map((inbox) => inbox.close()));
      place[Symbol.dispose]();
    },
  };
}

const sendThread = (inbox: Inbox, subject: string, to = "crew") =>
  inbox.call("threads.send", { from: "leader", to, subject });

postgresSuite("races", () => {
  test("[L1] of 64 claims of one thread exactly one wins, the others are told the holder", async () => {
    await using bus = await crowd(4);
    const { thread } = await sendThread(bus.of(0), "s");
    const claims = await Promise.all(
      times(64, (who) =>
        bus
          .of(who)
          .call("threads.claim", { agent: `claimer-${who}`, thread: thread.threadId })
          .then(
            () => ({ won: `claimer-${who}` }),
            (error: InboxError) => ({ code: error.code, holder: error.details?.holder }),
          ),
      ),
    );
    const winners = claims.filter((claim) => "won" in claim);
    expect(winners).toHaveLength(1);
    const holder = winners[0]!.won;
    for (const claim of claims)
      if (!("won" in claim)) expect(claim).toEqual({ code: "lease_conflict", holder });
    const leases = await stored(bus.url, "select agent_id from leases where released_at is null");
    expect(leases).toEqual([{ agent_id: holder }]);
    expect(await flaws(bus.url)).toEqual([]);
  });

  test("[L1] [L2] 40 bare claims on 40 threads: each gets its own, and none is told that there is none", async () => {
    await using bus = await crowd(4);
    for (let i = 0; i < 40; i++) await sendThread(bus.of(i), `work ${i}`);
    await Promise.all(
      times(40, (who) => bus.of(who).call("pools.join", { agent: `w-${who}`, pool: "crew" })),
    );
    const claims = await Promise.all(
      times(40, (who) => bus.of(who).call("threads.claim", { agent: `w-${who}` })),
    );
    const got = claims.map(({ thread }) => thread?.threadId ?? "nothing");
    expect(got).not.toContain("nothing");
    expect(new Set(got).size).toBe(40);
    expect((await bus.of(0).call("threads.claim", { agent: "w-0" })).thread).toBeNull();
    expect(await flaws(bus.url)).toEqual([]);
  });

  test("[M4] of 32 acks of one message exactly one is the first, and all get its time", async () => {
    await using bus = await crowd(4);
    const { id } = await bus.of(0).call("messages.send", { channel: "c", sender: "s", content: "once" });
    const acks = await Promise.all(
      times(32, (who) => bus.of(who).call("messages.ack", { id, agent: `acker-${who}` })),
    );
    expect(acks.filter(({ already }) => !already)).toHaveLength(1);
    expect(new Set(acks.map(({ message }) => message.ackedAt)).size).toBe(1);
    const collected = "select event_id from events where event_type = 'messages.collected'";
    expect(await stored(bus.url, collected)).toHaveLength(1);
  });

  test("[M9] 16 send with the same key at once: it is written once, and all get the same answer", async () => {
    await using bus = await crowd(4);
    const send = (who: number, content: string) =>
      bus
        .of(who)
        .call("messages.send", { channel: "c", sender: "s", content }, { idempotencyKey: "the same" });
    const sent = await Promise.all(times(16, (who) => send(who, "once")));
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
    expect(sent.filter((answer) => !("deduplicated" in answer))).toHaveLength(1);
    expect(await stored(bus.url, "select body from messages")).toEqual([{ body: "once" }]);
    const other = await send(1, "something else").catch((error) => error.code);
    expect(other).toBe("conflict");
  });

  test("[M8] of 24 messages with one correlation, in several channels, exactly one is the first", async () => {
    await using bus = await crowd(4);
    const sent = await Promise.all(
      times(24, (who) =>
        bus.of(who).call("messages.send", {
          channel: `c-${who % 6}`,
          sender: `s-${who}`,
          content: "x",
          correlationId: "one",
        }),
      ),
    );
    const { messages } = await bus.of(0).call("messages.replies", { correlationId: "one" });
    const ids = sent.map(({ id }) => id).sort((a, b) => a - b);
    expect(messages.map(({ id }) => id)).toEqual(ids.slice(1));
  });

  test("[B4] 20 receive from one inbox: each of 200 messages is acked by exactly one", async () => {
    await using bus = await crowd(4);
    let taken = 0;
    const receive = async (who: number) => {
      const got: number[] = [];
      while (taken < 200) {
        const { messages } = await bus
          .of(who)
          .call("mailbox.receive", { agent: "shared", max: 3, timeoutSeconds: 0.2 });
        got.push(...messages.map(({ id }) => id));
        taken += messages.length;
      }
      return got;
    };
    const send = async (who: number) => {
      for (let i = 0; i < 25; i++)
        await bus.of(who).call("mailbox.send", { from: `sender-${who}`, to: "shared", message: `${i}` });
    };
    const [received] = await Promise.all([Promise.all(times(20, receive)), Promise.all(times(8, send))]);
    const ids = received.flat().sort((a, b) => a - b);
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids).toHaveLength(200);
    const rows = await stored<{ acked: number; handed: number }>(
      bus.url,
      "select count(*) filter (where acked_at is not null) as acked, sum(handed)::integer as handed from messages",
    );
    expect(rows).toEqual([{ acked: 200, handed: 200 }]);
    expect(await flaws(bus.url)).toEqual([]);
  });

  test("[G2] two writes that lock in opposite orders: the server undoes one, it is run again, and both succeed", async () => {
    await using bus = await crowd(1);
    const threads = [await sendThread(bus.of(0), "a"), await sendThread(bus.of(0), "b")];
    await stored(bus.url, "create sequence if not exists meeting");
    // Two processes: what one process does at once it may do in one transaction.
    const engines = [openPostgres(bus.url), openPostgres(bus.url)];
    let runs = 0;
    /** Goes on when the other one is there too; who is run again need not wait. */
    function* meet(): Procedure<void> {
      yield* run(sql`select nextval('meeting')`);
      for (;;) {
        const here = yield* one<{ count: number }>(sql`select last_value as count from meeting`);
        if (here!.count >= 2) return;
        yield* run(sql`select pg_sleep(0.01)`);
      }
    }
    const cross = (engine: Engine, mark: string, order: string[]) =>
      engine.write(function* (tx) {
        runs++;
        yield* tx.clock();
        for (const [i, id] of order.entries()) {
          yield* run(sql`
            update threads set subject = subject || ${mark} where thread_id = ${Number(id.slice("thr_".length))}`);
          if (i === 0) yield* meet();
        }
      });
    const ids = threads.map(({ thread }) => thread.threadId);
    await Promise.all([cross(engines[0]!, "1", ids), cross(engines[1]!, "2", [...ids].reverse())]);
    expect(runs).toBeGreaterThan(2);
    // Both are in both, once.
    const subjects = await stored<{ marks: string }>(
      bus.url,
      "select substr(subject, 2) as marks from threads order by thread_id",
    );
    for (const { marks } of subjects) expect(["12", "21"]).toContain(marks);
    await stored(bus.url, "drop sequence meeting");
    await Promise.all(engines.map((engine) => engine.close()));
  });

  test("[B3] the sender of an expired delivery is notified once, whichever of many writers stores the dead letter", async () => {
    using place = await temporarySchema();
    let passed = 0;
    const inboxes = times(2, () => openInbox(place.url, { now: () => Date.now() + passed }));
    const inbox: Inbox = inboxes[0]!;
    await inbox.call("mailbox.send", { from: "sender", to: "lazy", message: "never acked" });
    for (let delivery = 0; delivery < 5; delivery++) {
      const { messages } = await inbox.call("mailbox.check", {
        agent: "lazy",
        ack: "manual",
        visibilitySeconds: 1,
      });
      expect(messages).toHaveLength(1);
      passed += 2000;
    }
    await Promise.all(
      inboxes.flatMap((each) => [
        each.call("mailbox.check", { agent: "lazy" }),
        each.call("messages.ackAll", { channel: "lazy", agent: "lazy" }),
        each.call("deadLetters.requeue", { id: 1, agent: "admin" }).catch(() => {}),
        each.call("mailbox.check", { agent: "lazy" }),
        each.call("deadLetters.requeue", { id: 1, agent: "admin" }).catch(() => {}),
      ]),
    );
    const told = await stored(place.url, "select summary from messages where to_agent = 'sender'");
    expect(told).toHaveLength(1);
    const died = await stored(place.url, "select 1 from events where event_type = 'message.dead'");
    expect(died).toHaveLength(1);
    await Promise.all(inboxes.map((each) => each.close()));
  });

  test("[L1] [B1] a row that only an uncommitted row of another transaction refers to is taken nevertheless", async () => {
    await using bus = await crowd(1);
    const inbox = bus.of(0);
    await sendThread(inbox, "s", "worker");
    const other = postgres(postgresUrl!, {
      max: 1,
      connection: { search_path: new URL(bus.url).searchParams.get("schema")! },
    });
    // As a row that refers to it does, until it is committed.
    await other.unsafe("begin; select 1 from threads for key share");
    const { thread } = await inbox.call("threads.claim", { agent: "worker" });
    expect(thread?.subject).toBe("s");
    await other.unsafe("rollback");
    await other.end();
  });

  test("[B1] a procedure that runs again because another of the transaction failed skips nothing that it had locked itself", async () => {
    using place = await temporarySchema();
    const engine: Engine = openPostgres(place.url);
    const writer = openInbox(place.url);
    await sendThread(writer, "s");
    const failing = () =>
      engine.write(function* (): Procedure<void> {
        yield* run(sql`update threads set subject = 'never' where false`);
        yield* one(sql`select 1 as one`);
        throw new Error("no");
      });
    const taking = () =>
      engine.write(function* (tx): Procedure<boolean> {
        const row = yield* one(sql`select threads.thread_id from threads ${tx.forUpdateFree}`);
        yield* one(sql`select 1 as one`);
        return row !== undefined;
      });
    await Promise.all(
      times(4, () =>
        engine.read(function* () {
          yield* one(sql`select 1 as one`);
        }),
      ),
    );
    for (let round = 0; round < 100; round++) {
      const [failed, found] = await Promise.allSettled([failing(), taking()]);
      expect(failed.status).toBe("rejected");
      expect(found).toMatchObject({ value: true });
    }
    await Promise.all([engine.close(), writer.close()]);
  });

  test("[B7] a write that must wait for a lock delays no other write of its process", async () => {
    await using bus = await crowd(1);
    const inbox = bus.of(0);
    const { thread } = await sendThread(inbox, "s");
    // Another program, in the middle of something with this thread.
    const other = postgres(postgresUrl!, {
      max: 1,
      connection: { search_path: new URL(bus.url).searchParams.get("schema")! },
    });
    await other.unsafe("begin; select 1 from threads for update");
    const cancelling = inbox.call("threads.cancel", { thread: thread.threadId, agent: "x", reason: "r" });
    await until("one waits for a row that the other has locked", async () => {
      const waits = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'for update'";
      return (await stored(bus.url, waits)).length > 0;
    });
    // The lock is held until all of them are answered: one that waited for it would be refused as busy.
    for (let i = 0; i < 5; i++) await inbox.call("mailbox.send", { from: "a", to: "b", message: `${i}` });
    await other.unsafe("commit");
    expect((await cancelling).thread.status).toBe("cancelled");
    await other.end();
  });
});
