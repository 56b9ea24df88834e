/**
 * [B1.7] Mail is taken oldest first, also while another process is taking some of it. What that process has in hand is a row that its
 * transaction has locked: here a connection of the test's own locks it, as a hand-over does until its commit.
 */
import { expect, test } from "bun:test";
import postgres from "postgres";
import { lockNumber } from "../../src/engines/postgres/context.ts";
import { hashOf } from "../../src/engines/postgres/hash.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { postgresUrl, temporarySchema } from "../support/postgres.ts";
import { postgresSuite, times, within } from "../support/postgres-suite.ts";
import { startProxy } from "../support/proxy.ts";
import { stored } from "../support/stored-postgres.ts";
import { until } from "../support/until.ts";

const agent = "desk";
const ids = ({ messages }: { messages: { id: number }[] }) => messages.map(({ id }) => id);

const program = (schema: string) =>
  postgres(postgresUrl!, { max: 1, onnotice: () => {}, connection: { search_path: schema } });

/** A bus with messages 1 to `count` at the desk, and a transaction of another program. */
async function scene(count: number) {
  const place = await temporarySchema();
  const [inbox, another] = [openInbox(place.url), openInbox(place.url)];
  for (let number = 1; number <= count; number++)
    await inbox.call("mailbox.send", { from: "lead", to: agent, message: `${number}` });
  const other = program(place.schema);
  const [{ pid }] = await other<[{ pid: number }]>`select pg_backend_pid() as pid`;
  return {
    url: place.url,
    schema: place.schema,
    inbox,
    another,
    /** As a write to this channel does until its commit. */
    async holds(channel: string) {
      await other.unsafe("begin");
      const numbers = [hashOf(place.schema) >>> 1, lockNumber(`channel:${channel}`)];
      await other.unsafe(`select pg_advisory_xact_lock(${numbers})`);
    },
    async takes(...numbers: number[]) {
      await other.unsafe("begin");
      for (const number of numbers)
        await other.unsafe(`select 1 from messages where message_id = ${number} for no key update`);
    },
    /** What a hand-over writes; the agent's clock has no part in these tests. */
    async has(number: number) {
      await other.unsafe(
        `update messages set acked_at = '2026', acked_by = '${agent}' where message_id = ${number}`,
      );
      await other.unsafe("commit");
    },
    fails: () => other.unsafe("rollback"),
    /** Whether a call waits for what the other program has locked; else it is answered. */
    async whetherWaits(call: Promise<unknown>): Promise<boolean> {
      let answered = false;
      const over = () => {
        answered = true;
      };
      void call.then(over, over);
      const waiting = `select 1 from pg_stat_activity where ${pid} = any (pg_blocking_pids(pid))`;
      await until(
        "the call waits for a lock, or is answered",
        async () => answered || (await stored(place.url, waiting)).length > 0,
      );
      return !answered;
    },
    async [Symbol.asyncDispose]() {
      await other.end();
      await Promise.all([inbox.close(), another.close()]);
      place[Symbol.dispose]();
    },
  };
}

postgresSuite("mail in order", () => {
  test("[B1.7] older mail that another process begins to take, and does not take, is not left behind for newer", async () => {
    await using bus = await scene(3);
    await bus.takes(1);
    const receiving = bus.inbox.call("mailbox.receive", { agent, timeoutSeconds: 0 });
    expect(await bus.whetherWaits(receiving)).toBe(true);
    await bus.fails();
    expect(ids(await receiving)).toEqual([1]);
    expect(ids(await bus.inbox.call("mailbox.check", { agent }))).toEqual([2, 3]);
  });

  test("[B1.7] a receiver gets the next message once another process has taken the one before", async () => {
    await using bus = await scene(3);
    await bus.takes(1);
    const receiving = bus.inbox.call("mailbox.receive", { agent, timeoutSeconds: 0 });
    expect(await bus.whetherWaits(receiving)).toBe(true);
    await bus.has(1);
    expect(ids(await receiving)).toEqual([2]);
  });

  test("[B1.7] mail that another process does not take is not missing in an answer, nor is an answer empty without it", async () => {
    await using bus = await scene(1);
    await bus.takes(1);
    const calls = [
      bus.inbox.call("mailbox.check", { agent }),
      bus.inbox.call("mailbox.gather", { agent, from: ["lead"], timeoutSeconds: 0 }),
    ];
    for (const call of calls) expect(await bus.whetherWaits(call)).toBe(true);
    await bus.fails();
    const answers = await Promise.all(calls);
    expect(answers.flatMap(ids)).toEqual([1]);
  });

  test("[B1.7] newest first, newer mail that another process begins to take is not left behind for older", async () => {
    await using bus = await scene(3);
    await bus.takes(3);
    const receiving = bus.inbox.call("mailbox.receive", { agent, lifo: true, timeoutSeconds: 0 });
    expect(await bus.whetherWaits(receiving)).toBe(true);
    await bus.fails();
    expect(ids(await receiving)).toEqual([3]);
  });

  test("[B1.7] later mail that another process is taking delays nobody who takes only what comes before", async () => {
    await using bus = await scene(3);
    await bus.takes(3);
    for (const number of [1, 2])
      expect(ids(await bus.inbox.call("mailbox.receive", { agent, max: 1, timeoutSeconds: 0 }))).toEqual([
        number,
      ]);
    await bus.has(3);
  });

  test("[B1.7] calls whose transaction waits too long for another lock, and is undone, leave no older mail behind", async () => {
    await using bus = await scene(3);
    await bus.holds("busy");
    // Both in one transaction of one process: the first has message 1 in hand until the second has waited too long.
    const both = [
      bus.inbox.call("mailbox.receive", { agent, timeoutSeconds: 0 }),
      bus.inbox.call("messages.send", { channel: "busy", sender: "lead", content: "x" }),
    ];
    expect(await bus.whetherWaits(Promise.all(both))).toBe(true);
    const [mine] = ids(await bus.another.call("mailbox.receive", { agent, timeoutSeconds: 0 }));
    const left = ids(await bus.another.call("mailbox.list", { agent }));
    expect(mine).toBeLessThan(Math.min(...left));
    await bus.fails();
    await Promise.all(both);
  });

  test("[B1.7] [B7] a call that waits for another process delays no other call of its own", async () => {
    await using bus = await scene(2);
    await bus.takes(1);
    const receiving = bus.inbox.call("mailbox.receive", { agent, timeoutSeconds: 0 });
    expect(await bus.whetherWaits(receiving)).toBe(true);
    for (let number = 0; number < 5; number++) {
      await bus.inbox.call("mailbox.send", { from: "lead", to: "free", message: "x" });
      expect((await bus.inbox.call("mailbox.receive", { agent: "free", timeoutSeconds: 0 })).total).toBe(1);
    }
    await bus.fails();
    expect(ids(await receiving)).toEqual([1]);
  });

  test("[B1.7] [B7] a call that waits delays no message to a channel, whatever that is called", async () => {
    await using bus = await scene(1);
    const isAlike = (name: string) => lockNumber(`channel:${name}`) === lockNumber(`inbox:${agent}`);
    const channel = times(100_000, (i) => `c${i}`).find(isAlike)!;
    await bus.takes(1);
    let answered = false;
    const receiving = bus.inbox.call("mailbox.receive", { agent, timeoutSeconds: 0 });
    void receiving.then(() => (answered = true));
    expect(await bus.whetherWaits(receiving)).toBe(true);
    for (const inbox of [bus.inbox, bus.another])
      await inbox.call("messages.send", { channel, sender: "lead", content: "x" });
    expect(answered).toBe(false);
    await bus.fails();
    await receiving;
  });

  test("[B1.7] [B7] calls that wait for mail of many inboxes delay no call for another inbox whose mail is free again", async () => {
    await using bus = await scene(0);
    const receive = (of: string) => bus.inbox.call("mailbox.receive", { agent: of, timeoutSeconds: 0 });
    const agents = ["a", "b", "c"];
    for (const to of [...agents, agent])
      await bus.inbox.call("mailbox.send", { from: "lead", to, message: to });
    await bus.takes(1, 2, 3);
    let answered = 0;
    const waiting = agents.map((name) => receive(name).then(() => answered++));
    expect(await bus.whetherWaits(Promise.race(waiting))).toBe(true);
    const third = program(bus.schema);
    await third.unsafe("begin");
    await third.unsafe("select 1 from messages where message_id = 4 for no key update");
    const receiving = receive(agent);
    await Bun.sleep(200); // so that it has asked, and has to wait
    await third.unsafe("rollback");
    expect(ids(await receiving)).toEqual([4]);
    expect(answered).toBe(0);
    await bus.fails();
    await Promise.all(waiting);
    await third.end();
  });

  test("[B1.7] after five seconds a call goes on without mail that another process has neither taken nor left", async () => {
    await using bus = await scene(3);
    await bus.takes(1);
    const { messages } = await bus.inbox.call("mailbox.receive", { agent, max: 2, timeoutSeconds: 0 });
    expect(messages.map(({ id }) => id)).toEqual([2, 3]);
    await bus.fails();
    expect(ids(await bus.inbox.call("mailbox.receive", { agent, timeoutSeconds: 0 }))).toEqual([1]);
  });

  test("[B1.7] the five seconds are those of each call: those that come a moment later do not wait for as long again", async () => {
    await using bus = await scene(4);
    await bus.takes(1);
    const receive = () => bus.inbox.call("mailbox.receive", { agent, timeoutSeconds: 0 });
    const first = receive();
    expect(await bus.whetherWaits(first)).toBe(true);
    const later = [receive(), receive()];
    const answers = [await first, ...(await within(4, "those that came later", Promise.all(later)))];
    expect(answers.flatMap(ids).sort()).toEqual([2, 3, 4]);
    await bus.fails();
  });

  test("[B1.7] a call whose five seconds are not over goes on waiting where those of another one are", async () => {
    await using bus = await scene(4);
    await bus.takes(1);
    const receive = () => bus.inbox.call("mailbox.receive", { agent, timeoutSeconds: 0 });
    const first = receive();
    expect(await bus.whetherWaits(first)).toBe(true);
    const [second, last] = [Bun.sleep(500).then(receive), Bun.sleep(4500).then(receive)];
    // The second and the last one stand in line together once the first one has gone on.
    expect((await Promise.all([first, second])).flatMap(ids)).toEqual([2, 3]);
    await bus.fails();
    expect(ids(await last)).toEqual([1]);
  });

  test("[B1.7] [G4] calls that stand in line for a server that falls silent fail at the same time, not one after another", async () => {
    await using bus = await scene(1);
    await bus.takes(1);
    const line = await startProxy(bus.url);
    const far = openInbox(line.url);
    const receive = () => far.call("mailbox.receive", { agent, timeoutSeconds: 0 });
    const first = receive();
    expect(await bus.whetherWaits(first)).toBe(true);
    const all = [first, ...times(12, receive)];
    await Bun.sleep(500); // so that they stand in line
    line.silence();
    const answers = await within(40, "13 calls", Promise.allSettled(all));
    expect(answers.map(({ status }) => status)).toEqual(times(13, () => "rejected"));
    await line.stop();
    await far.close();
  });

  test("[B1.7] [B5] a gather whose answer another process has taken while it waited goes on waiting", async () => {
    await using bus = await scene(0);
    for (const from of ["x", "y"])
      await bus.inbox.call("mailbox.send", { from, to: agent, message: `of ${from}` });
    await bus.takes(1);
    const gathering = bus.inbox.call("mailbox.gather", { agent, from: ["x", "y"], timeoutSeconds: 60 });
    expect(await bus.whetherWaits(gathering)).toBe(true);
    await bus.has(1);
    await bus.another.call("mailbox.send", { from: "x", to: agent, message: "again" });
    const { messages, missing } = await gathering;
    expect([messages.map(({ message }) => message).sort(), missing]).toEqual([["again", "of y"], []]);
  });
});
