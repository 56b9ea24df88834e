/** [G6] Every list has an order, also where two elements are equal in what they are ordered by: the clock stands still here. */
import { describe, expect, test } from "bun:test";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { all, run } from "../../src/sql/procedure.ts";
import { sql } from "../../src/sql/sql.ts";
import { byHand } from "../support/by-hand.ts";
import { engines } from "../support/engines.ts";
import { searched } from "../support/searched.ts";

const agent = "main";
const shuffled = ["m", "z", "a", "q"];
const sorted = shuffled.toSorted();

const payloads = async (inbox: Inbox, type: string) =>
  (await inbox.call("events.watch", { afterEvent: 0, limit: 1000 })).events
    .filter(({ eventType }) => eventType === type)
    .map(({ payload }) => payload as Record<string, unknown>);
const post = (inbox: Inbox, channel: string, sender = agent) =>
  inbox.call("messages.send", { channel, content: "poison", sender });

describe.each(engines)("$name", (engine) => {
  test("[G6] rows that are read without an order come reversed in one column of each database", async () => {
    await using bench = await engine.start();
    const server = engine.name === "postgres" || engine.name === "rabbitmq";
    const rows = await bench.engine.write(function* () {
      for (const name of ["a", "b", "c"])
        yield* run(sql`insert into agents (name, first_seen_at, last_seen_at) values (${name}, '', '')`);
      // A server puts rows where there is room: the order of a table's is not that of their inserts.
      const found = yield* all<{ name: string }>(
        server
          ? sql`select unnest(array['a', 'b', 'c']) as name`
          : sql`select agents.name from agents where agents.name > ''`,
      );
      const ordered = yield* all<{ name: string }>(sql`select agents.name from agents order by agents.name`);
      return [found, ordered].map((those) => those.map(({ name }) => name).join(""));
    });
    const turns = engine.name === "sqlite" || engine.name === "postgres";
    expect(rows).toEqual([turns ? "cba" : "abc", "abc"]);
  });

  test("[G6] [B5] gather lists missing and dead as they were asked for", async () => {
    await using bench = await engine.start();
    const { inbox } = bench;
    for (const name of ["b", "y", "k"]) {
      await inbox.call("tasks.push", { agent, name, prompt: "p", profile: "claude" });
      await inbox.call("tasks.remove", { agent, name });
    }
    const from = ["q", "k", "c", "b", "x", "y"];
    expect(await inbox.call("mailbox.gather", { agent, from, timeoutSeconds: 0 })).toMatchObject({
      missing: ["q", "c", "x"],
      dead: ["k", "b", "y"],
    });
    expect(
      await inbox.call("mailbox.gather", { agent, from: from.toReversed(), timeoutSeconds: 0 }),
    ).toMatchObject({ missing: ["x", "c", "q"], dead: ["y", "b", "k"] });
  });

  test("[G6] agents, pools, their members, channels, copies and similar names are in the order of names", async () => {
    await using bench = await engine.start();
    bench.freeze();
    const { inbox } = bench;
    for (const name of shuffled) {
      await inbox.call("pools.join", { agent: name, pool: "crew" });
      await inbox.call("pools.join", { agent, pool: `pool-${name}` });
      await post(inbox, `topic-${name}`);
    }
    const { agents } = await inbox.call("agents.list", {});
    expect(agents.map(({ name }) => name)).toEqual(["a", "m", agent, "q", "z"]);
    expect(agents.find(({ name }) => name === agent)!.pools).toEqual(sorted.map((name) => `pool-${name}`));
    expect((await inbox.call("pools.leave", { agent: "a", pool: "crew" })).members).toEqual(sorted.slice(1));
    const { channels } = await inbox.call("messages.channels", {});
    expect(channels.map(({ channel }) => channel)).toEqual(sorted.map((name) => `topic-${name}`));
    const first = await inbox.call("messages.channels", { limit: 2 });
    expect([first.channels.map(({ channel }) => channel), first.hasMore]).toEqual([
      ["topic-a", "topic-m"],
      true,
    ]);
    const { recipient } = await inbox.call("mailbox.send", { from: agent, to: "pool-x", message: "hi" });
    expect(recipient.similar).toEqual(["pool-a", "pool-m", "pool-q"]);
    const { copies } = await inbox.call("messages.send", { channel: "*", content: "all", sender: agent });
    expect(copies!.map(({ channel }) => channel)).toEqual(sorted);
  });

  test("[G6] messages that die together, or come back together, are reported in the order of their numbers", async () => {
    await using bench = await engine.start();
    bench.freeze();
    const { inbox } = bench;
    for (const name of shuffled) await post(inbox, "w", name);
    for (let i = 0; i < 5; i++) {
      await inbox.call("mailbox.check", { agent: "w", ack: "manual" });
      bench.pass(61);
    }
    await post(inbox, "v", "b");
    await post(inbox, "v", "a");
    const handed = await inbox.hand("mailbox.check", { agent: "v" });
    await handed.release!();
    expect(await payloads(inbox, "messages.returned")).toEqual([{ messages: ["msg_5", "msg_6"] }]);
    await inbox.call("deadLetters.requeue", { id: 1, agent });
    expect(await payloads(inbox, "message.dead")).toHaveLength(4);
    const told = await Promise.all(
      shuffled.map(async (name) => (await inbox.call("mailbox.list", { agent: name })).messages),
    );
    const numbers = told.flat().map(({ id }) => id);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(numbers).toHaveLength(4);
    for (const name of ["w", "v"]) await inbox.call("mailbox.check", { agent: name });
  });

  test("[G6] entries of one millisecond: the later one first in the history, in the order of writing in an export, and when erased", async () => {
    await using bench = await engine.start();
    bench.freeze();
    const { inbox } = bench;
    const ids = ["c", "0", "f", "7"].map((letter) => `${letter.repeat(8)}-0000-4000-8000-000000000000`);
    for (const id of ids)
      await inbox.call("entries.import", {
        entries: [
          { id, ts: 1_700_000_000_000, workspaceId: "ws-abc123", workspaceLabel: "w", comments: "c" },
        ],
      });
    const list = (entries: { id: string }[]) => entries.map(({ id }) => id);
    expect(list((await inbox.call("entries.history", {})).entries)).toEqual(ids.toReversed());
    const older = await inbox.call("entries.history", { before: ids[2]!, limit: 1 });
    expect([list(older.entries), older.hasMore]).toEqual([[ids[1]!], true]);
    expect(list((await inbox.call("entries.export", {})).entries)).toEqual(ids);
    for (const id of [ids[3]!, ids[0]!, ids[2]!]) await inbox.call("entries.delete", { id });
    bench.pass(60);
    await inbox.call("entries.delete", { id: ids[1]! });
    expect(await payloads(inbox, "entries.erased")).toEqual([{ entries: [ids[0], ids[2], ids[3]] }]);
  });

  test("[G6] workspaces of one moment are in the order of their ids", async () => {
    await using bench = await engine.start();
    bench.freeze();
    for (let i = 0; i < 6; i++) await bench.inbox.call("workspaces.add", { path: "/tmp", label: `w${i}` });
    const { workspaces } = await bench.inbox.call("workspaces.list", {});
    const ids = workspaces.map(({ workspaceId }) => workspaceId);
    expect(ids).toHaveLength(6);
    expect(ids).toEqual(ids.toSorted());
  });

  test("[G6] threads of one moment and one priority: fetch has the oldest first, list the newest", async () => {
    await using bench = await engine.start();
    bench.freeze();
    const { inbox } = bench;
    for (let i = 0; i < 4; i++) await inbox.call("threads.send", { from: agent, to: "w", subject: `s${i}` });
    const ids = ["thr_1", "thr_2", "thr_3", "thr_4"];
    const list = (threads: { threadId: string }[]) => threads.map(({ threadId }) => threadId);
    expect(list((await inbox.call("threads.fetch", { agent: "w" })).threads)).toEqual(ids);
    expect(list((await inbox.call("threads.list", {})).threads)).toEqual(ids.toReversed());
    const artifacts = shuffled.map((path) => ({ path: `/tmp/${path}` }));
    await inbox.call("threads.reply", { from: "w", thread: "thr_1", summary: "s", artifacts });
    const { messages } = await inbox.call("threads.show", { thread: "thr_1" });
    expect(messages[1]!.artifacts.map(({ path }) => path)).toEqual(artifacts.map(({ path }) => path));
  });

  test("[G6] hits that are as good and as old as each other: entries, threads, messages, of each the later one first", async () => {
    await using bench = await engine.start();
    bench.freeze();
    const { inbox } = bench;
    for (const channel of shuffled)
      await inbox.call("messages.send", { channel, content: "walrus", sender: agent });
    const found = async (more = {}) =>
      (await searched(inbox, { q: "walrus", ...more })).hits.map(({ id }) => id);
    expect(await found()).toEqual(["msg_4", "msg_3", "msg_2", "msg_1"]);
    expect(await found({ limit: 2 })).toEqual(["msg_4", "msg_3"]);
    for (let i = 0; i < 2; i++) await inbox.call("threads.send", { from: "x", to: "y", subject: "walrus" });
    const { hits } = await searched(inbox, { q: "walrus", kinds: ["messages", "threads"] });
    expect(await found({ kinds: ["threads", "messages"] })).toEqual(hits.map(({ id }) => id));
    expect(hits.filter(({ kind }) => kind === "threads").map(({ id }) => id)).toEqual(["thr_2", "thr_1"]);
  });

  test("[G6] tasks of one moment are listed, released, started and ended in the order they were pushed", async () => {
    await using bench = await byHand(engine);
    bench.freeze();
    const { inbox } = bench;
    const names = (tasks: { name: string }[]) => tasks.map(({ name }) => name);
    for (const name of shuffled) await bench.push(name);
    await bench.push("last", { after: sorted });
    await bench.push("other", { after: ["last", "m"] });
    const pushed = [...shuffled, "last", "other"];
    const { queued } = await inbox.call("tasks.queue", { agent });
    expect(names(queued)).toEqual(pushed);
    expect(queued.slice(-2).map(({ after }) => after)).toEqual([shuffled, ["m", "last"]]);
    expect((await inbox.call("tasks.run", { agent })).released).toEqual(pushed);
    expect(await bench.due()).toEqual(shuffled);
    expect(names((await inbox.call("tasks.queue", { agent })).running)).toEqual(shuffled);
    for (const name of sorted.toReversed()) await bench.end(name);
    expect(names((await inbox.call("tasks.queue", { agent })).finished)).toEqual(shuffled);
  });

  test("[G6] a kill names each parent before those below it, and those in the order they were pushed", async () => {
    await using bench = await byHand(engine);
    bench.freeze();
    const { inbox } = bench;
    await bench.started("top");
    for (const name of shuffled) await bench.started(name, { agent: "top" });
    for (const name of ["n2", "n1"]) await bench.started(name, { agent: "z" });
    expect((await inbox.call("tasks.kill", { agent, name: "top" })).killed).toEqual([
      "top",
      "m",
      "z",
      "n2",
      "n1",
      "a",
      "q",
    ]);
  });
});
