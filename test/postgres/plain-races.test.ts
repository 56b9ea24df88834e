/** The plain case of a write, and what others write at the same moment. */
import { expect, test } from "bun:test";
import postgres from "postgres";
import { lockNumber } from "../../src/engines/postgres/context.ts";
import { hashOf } from "../../src/engines/postgres/hash.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { type Place, postgresUrl, temporarySchema } from "../support/postgres.ts";
import { postgresSuite } from "../support/postgres-suite.ts";
import { flaws, stored } from "../support/stored-postgres.ts";
import { until } from "../support/until.ts";

/** Reading the pools of an agent takes half a second, in which others can write; until it is disposed. */
async function slowPools({ url }: Place): Promise<AsyncDisposable> {
  const [{ columns }] = (await stored<{ columns: string }>(
    url,
    `select string_agg(case column_name when 'agent_id' then 'pg_sleep(0.5)::text' else 'null::' || data_type end, ', '
       order by ordinal_position) as columns
     from information_schema.columns where table_schema = current_schema() and table_name = 'pool_members'`,
  )) as [{ columns: string }];
  await stored(url, "alter table pool_members rename to all_members");
  await stored(url, `create view pool_members as select * from all_members union all select ${columns}`);
  return {
    // The next test gets the same schema.
    [Symbol.asyncDispose]: async () => {
      await stored(url, "drop view pool_members");
      await stored(url, "alter table all_members rename to pool_members");
    },
  };
}

const sleepers = async (url: string) =>
  (await stored(url, "select 1 from pg_stat_activity where wait_event = 'PgSleep'")).length;

const gateNumber = 471_147;

/**
 * The statement that ends a thread in the plain case stops where it reads tasks, after its snapshot and before it locks
 * the thread, until `go` is called.
 */
async function stoppedEnds({ url }: Place): Promise<AsyncDisposable & { go: () => Promise<void> }> {
  const gate = `case when current_query() like '%ending as materialized%'
    then length(pg_advisory_xact_lock_shared(${gateNumber})::text)::bigint end`;
  const [{ columns }] = (await stored<{ columns: string }>(
    url,
    `select string_agg(case column_name when 'thread_id' then $gate$${gate}$gate$
       when 'status' then $$'none'$$ when 'review' then $$''$$ else 'null::' || data_type end, ', '
       order by ordinal_position) as columns
     from information_schema.columns where table_schema = current_schema() and table_name = 'tasks'`,
  )) as [{ columns: string }];
  const direct = postgres(postgresUrl!, { max: 1, onnotice: () => {} });
  await direct.unsafe(`select pg_advisory_lock(${gateNumber})`);
  await stored(url, "alter table tasks rename to all_tasks");
  await stored(url, `create view tasks as select * from all_tasks union all select ${columns}`);
  return {
    go: () => direct.end(),
    [Symbol.asyncDispose]: async () => {
      await direct.end();
      await stored(url, "drop view tasks");
      await stored(url, "alter table all_tasks rename to tasks");
    },
  };
}
const stopped = async (url: string) =>
  (await stored(url, `select 1 from pg_locks where not granted and objid = ${gateNumber}`)).length;

/** Holds a channel's lock, as a transaction does that writes to it. The returned function ends it. */
async function holding(url: string, schema: string, agent: string): Promise<() => Promise<void>> {
  const direct = postgres(url, { max: 1, onnotice: () => {} });
  const [held, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lock = `select pg_advisory_xact_lock(${hashOf(schema) >>> 1}, ${lockNumber(`channel:${agent}`)})`;
  const ended = direct.begin(async (transaction) => {
    await transaction.unsafe(lock);
    held.resolve();
    await over.promise;
  });
  await held.promise;
  return async () => {
    over.resolve();
    await ended;
    await direct.end();
  };
}

postgresSuite("a plain case beside other writes", () => {
  test("[T7] [G4] one thread that is ended by two spellings of its id at once is ended once", async () => {
    using place = await temporarySchema();
    const inbox = openInbox(place.url);
    await inbox.call("threads.send", { from: "lead", to: "w", subject: "s" });
    await inbox.call("messages.send", { channel: "c", sender: "w", content: "I am here" });
    await inbox.call("threads.claim", { agent: "w" });
    const ends = await Promise.allSettled(
      ["thr_1", "1"].map((thread) =>
        inbox.call("threads.done", { agent: "w", thread, body: `as ${thread}` }),
      ),
    );
    expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const results = await stored(place.url, "select 1 from messages where kind = 'result'");
    const told = await stored(place.url, "select 1 from events where event_type = 'thread.done'");
    expect([results.length, told.length, await flaws(place.url)]).toEqual([1, 1, []]);
    await inbox.close();
  });

  test("[T11.1] a reply that is written between the beginning of a claim and its lock is in the answer", async () => {
    using place = await temporarySchema();
    const [worker, lead] = [openInbox(place.url), openInbox(place.url)];
    await lead.call("threads.send", { from: "lead", to: "w", subject: "s" });
    await worker.call("messages.send", { channel: "c", sender: "w", content: "x" });
    await using _slow = await slowPools(place);
    const claiming = worker.call("threads.claim", { agent: "w" });
    await until("the statement runs", async () => (await sleepers(place.url)) > 0);
    await lead.call("threads.reply", { from: "lead", thread: "thr_1", body: "an answer" });
    const { thread, messages } = await claiming;
    expect(messages.at(-1)!.messageId).toBe(thread!.latestMessageId!);
    await worker.close();
    await lead.close();
  });

  test("[T11.6] [U11.2] what is written between the beginning of an end and its lock is collected, and needs nobody", async () => {
    using place = await temporarySchema();
    const [worker, lead] = [openInbox(place.url), openInbox(place.url)];
    for (const subject of ["answered", "asked"])
      await lead.call("threads.send", { from: "lead", to: "w", subject });
    await worker.call("messages.send", { channel: "c", sender: "w", content: "I am here" });
    await worker.call("threads.claim", { agent: "w" });
    await worker.call("threads.claim", { agent: "w" });
    const meanwhile = [
      { from: "lead", thread: "thr_1", body: "an answer" },
      { from: "w", to: "user", thread: "thr_2", kind: "question", body: "Which one?" },
    ] as const;
    for (const message of meanwhile) {
      await using ends = await stoppedEnds(place);
      const ending = worker.call("threads.done", { agent: "w", thread: message.thread, body: "r" });
      await until("the statement has its snapshot", async () => (await stopped(place.url)) > 0);
      await lead.call("threads.reply", message);
      await ends.go();
      expect((await ending).thread.status).toBe("done");
    }
    const open = await stored(
      place.url,
      "select message_id from messages where kind = 'answer' and acked_at is null",
    );
    const needed = await stored(place.url, "select needs from entries");
    expect([open, needed, await flaws(place.url)]).toEqual([[], [{ needs: null }], []]);
    await worker.close();
    await lead.close();
  });

  test("[G4] an end whose channel is busy keeps nobody else waiting", async () => {
    using place = await temporarySchema();
    const inbox = openInbox(place.url);
    for (const from of ["busy", "free"]) await inbox.call("threads.send", { from, to: "w", subject: "s" });
    // The first makes the agent known, so that the next are plain.
    await inbox.call("messages.send", { channel: "c", sender: "w", content: "I am here" });
    await inbox.call("threads.claim", { agent: "w" });
    await inbox.call("threads.claim", { agent: "w" });
    const release = await holding(postgresUrl!, place.schema, "busy");
    const order: string[] = [];
    const end = (thread: string, name: string) =>
      inbox.call("threads.done", { agent: "w", thread, body: "r" }).then(() => order.push(name));
    const both = [end("thr_1", "busy"), end("thr_2", "free")];
    const waiting = () =>
      stored<{ query: string }>(
        place.url,
        "select query from pg_stat_activity where wait_event = 'advisory'",
      );
    await until("the busy one waits for its channel", async () => (await waiting()).length > 0);
    // Its procedure does, not the statement in which the other one is.
    for (const { query } of await waiting()) expect(query).not.toMatch(/^with call/);
    await both[1];
    expect(order).toEqual(["free"]);
    await release();
    await Promise.all(both);
    await inbox.close();
  });
});
