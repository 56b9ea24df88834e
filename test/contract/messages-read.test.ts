import { describe, expect, test } from "bun:test";
import { InboxError } from "../../src/contract/errors.ts";
import type { InputOf } from "../../src/contract/operations/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const mebibyte = 1024 * 1024;
const hour = 3600;
const channel = "builds";

const post = (inbox: Inbox, more: Partial<InputOf<"messages.send">> = {}) =>
  inbox.call("messages.send", { channel, content: "x", sender: "ci", ...more });
const posts = async (inbox: Inbox, count: number) => {
  for (let i = 0; i < count; i++) await post(inbox);
};
const read = (inbox: Inbox, more: Partial<InputOf<"messages.inbox">> = {}) =>
  inbox.call("messages.inbox", { channel, ...more });
const ids = (answer: { messages: { id: number }[] }) => answer.messages.map(({ id }) => id);
const ack = (inbox: Inbox, ...numbers: number[]) =>
  Promise.all(numbers.map((id) => inbox.call("messages.ack", { id, agent: "w" })));
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
const turn = () => new Promise((done) => setImmediate(done));

async function events(inbox: Inbox) {
  const answer = await inbox.call("events.watch", { afterEvent: 0, limit: 1000, timeoutSeconds: 0.01 });
  return answer.events;
}

describe.each(engines)("$name", ({ start }) => {
  test("[M2] messages come in the order of their ids, strictly after the cursor, of one channel", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (let i = 0; i < 6; i++) await post(inbox, { channel: i % 2 ? "other" : channel });
    expect(await read(inbox)).toMatchObject({ channel, count: 3 });
    expect(ids(await read(inbox))).toEqual([1, 3, 5]);
    expect(ids(await read(inbox, { afterId: 0 }))).toEqual([1, 3, 5]);
    expect(ids(await read(inbox, { afterId: 1 }))).toEqual([3, 5]);
    expect(ids(await read(inbox, { afterId: 2 }))).toEqual([3, 5]);
    expect(ids(await read(inbox, { afterId: 5 }))).toEqual([]);
    expect(ids(await read(inbox, { afterId: Number.MAX_SAFE_INTEGER }))).toEqual([]);
    expect(await read(inbox, { channel: "nothing-here" })).toEqual({
      channel: "nothing-here",
      count: 0,
      messages: [],
      similar: [],
    });
  });

  test("[M2] the limit is 50 by default, from 1 to 1000, and anything else is refused", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await Promise.all(upTo(60).map(() => post(inbox)));
    expect((await read(inbox)).count).toBe(50);
    expect(ids(await read(inbox, { limit: 1 }))).toEqual([1]);
    expect(ids(await read(inbox, { limit: 1000 }))).toEqual(upTo(60));
    for (const limit of [0, -1, 1001, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect((await refusal(read(inbox, { limit }))).code).toBe("invalid_input");
    for (const afterId of [-1, 0.5, Number.NaN, 2 ** 53])
      expect((await refusal(read(inbox, { afterId }))).code).toBe("invalid_input");
  });

  test("[M2] filters by sender and correlation id, with or without acked messages; filters combine", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, { sender: "a" });
    await post(inbox, { sender: "b", correlationId: "r" });
    await post(inbox, { sender: "a", correlationId: "r" });
    await post(inbox, { sender: "a", correlationId: "r" });
    await ack(inbox, 3);
    expect(ids(await read(inbox, { sender: "a" }))).toEqual([1, 4]);
    expect(ids(await read(inbox, { correlationId: "r" }))).toEqual([2, 4]);
    expect(ids(await read(inbox, { sender: "a", correlationId: "r" }))).toEqual([4]);
    expect(ids(await read(inbox, { includeAcked: true }))).toEqual([1, 2, 3, 4]);
    expect(ids(await read(inbox, { sender: "a", correlationId: "r", includeAcked: true }))).toEqual([3, 4]);
    expect(ids(await read(inbox, { sender: "a", includeAcked: true, afterId: 1, limit: 1 }))).toEqual([3]);
    expect(ids(await read(inbox, { sender: "nobody" }))).toEqual([]);
  });

  test("[M2] messages of one sender are found among many others, acked or not, from both ends", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const rare = [3, 14, 28];
    for (const id of upTo(30)) await post(inbox, { sender: rare.includes(id) ? "rare" : "often" });
    for (const id of [1, 2, 3, 5, 8, 13, 21, 28, 29]) await ack(inbox, id);
    const of = { sender: "rare", includeAcked: true };
    expect(ids(await read(inbox, { ...of, limit: 1 }))).toEqual([3]);
    expect(ids(await read(inbox, { ...of, limit: 2, afterId: 3 }))).toEqual([14, 28]);
    expect(ids(await read(inbox, { ...of, limit: 2, newest: true }))).toEqual([14, 28]);
    expect(ids(await read(inbox, { ...of, limit: 1, newest: true }))).toEqual([28]);
    expect(ids(await read(inbox, { sender: "rare", onlyAcked: true }))).toEqual([3, 28]);
    expect(ids(await read(inbox, { includeAcked: true, newest: true, limit: 4 }))).toEqual([27, 28, 29, 30]);
  });

  test("[M2] a page ends at 4 MiB, and only an empty one is the end", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const content = "x".repeat(mebibyte);
    for (let i = 0; i < 9; i++) await post(inbox, { content });
    await post(inbox, { metadata: { text: "y".repeat(mebibyte - 100) } });
    const seen: number[] = [];
    for (;;) {
      const page = await read(inbox, { afterId: seen.at(-1) ?? 0, limit: 1000 });
      if (!page.count) break;
      expect(page.messages.reduce((sum, message) => sum + message.content.length, 0)).toBeLessThanOrEqual(
        4 * mebibyte,
      );
      seen.push(...ids(page));
    }
    expect(seen).toEqual(upTo(10));
    expect((await read(inbox, { limit: 1000 })).count).toBeGreaterThanOrEqual(3);
  });

  test("[M2] a page's 4 MiB are bytes, not characters", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const content = "€".repeat(Math.floor(mebibyte / 3));
    for (let i = 0; i < 6; i++) await post(inbox, { content });
    expect((await read(inbox)).count).toBeLessThanOrEqual(4);
  });

  test("[M2] [M11] pure reads leave no trace: no event, no agent, no receipt, no position", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, { correlationId: "r" });
    await post(inbox, { sender: "w2", correlationId: "r" });
    await inbox.call("threads.send", { from: "ci", to: "w", subject: "s" });
    const state = async () => [
      await events(inbox),
      await inbox.call("agents.list", {}),
      await inbox.call("messages.status", { id: 1 }),
      await inbox.call("messages.status", { id: 3 }),
    ];
    const before = await state();
    for (let i = 0; i < 2; i++) {
      expect(ids(await read(inbox))).toEqual([1, 2]);
      expect(ids(await read(inbox, { includeAcked: true }))).toEqual([1, 2]);
      expect(ids(await read(inbox, { reader: "stranger" }))).toEqual([1, 2]);
      expect(await inbox.call("messages.pending", { channel })).toEqual({ channel, count: 2 });
      expect(ids(await inbox.call("messages.replies", { correlationId: "r" }))).toEqual([2]);
      expect(ids(await inbox.call("mailbox.list", { agent: channel }))).toEqual([1, 2]);
      expect(ids(await inbox.call("mailbox.list", { agent: "w" }))).toEqual([3]);
      expect(ids(await inbox.call("deadLetters.list", {}))).toEqual([]);
    }
    expect(await state()).toEqual(before);
    expect(before[2]).toMatchObject({ status: "pending", handed: 0, firstHandedAt: null, ackedBy: null });
  });

  test("[M3] any number of readers with their own cursor see the same messages", async () => {
    await using bench = await start();
    await posts(bench.inbox, 10);
    const follow = async (limit: number) => {
      const inbox = bench.another();
      const seen: number[] = [];
      for (;;) {
        const page = await read(inbox, { afterId: seen.at(-1) ?? 0, limit });
        if (!page.count) return seen;
        seen.push(...ids(page));
      }
    };
    for (const seen of await Promise.all([1, 3, 10, 50].map(follow))) expect(seen).toEqual(upTo(10));
  });

  test("[M3] a reader's position is kept in the bus and moves only by an explicit commit", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await posts(inbox, 5);
    const reader = "deployer";
    expect(ids(await read(inbox, { reader, limit: 2 }))).toEqual([1, 2]);
    expect(ids(await read(inbox, { reader, limit: 2 }))).toEqual([1, 2]);
    expect(ids(await read(inbox, { reader, limit: 2, commit: true }))).toEqual([1, 2]);
    const elsewhere = bench.another();
    expect(ids(await read(elsewhere, { reader, limit: 2 }))).toEqual([3, 4]);
    expect(ids(await read(elsewhere, { reader, commit: true }))).toEqual([3, 4, 5]);
    expect(ids(await read(inbox, { reader, commit: true }))).toEqual([]);
    await post(inbox);
    expect(ids(await read(inbox, { reader }))).toEqual([6]);
  });

  test("[M3] a position belongs to one reader on one channel", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await posts(inbox, 2);
    await post(inbox, { channel: "other" });
    await read(inbox, { reader: "a", commit: true });
    expect(ids(await read(inbox, { reader: "a" }))).toEqual([]);
    expect(ids(await read(inbox, { reader: "b" }))).toEqual([1, 2]);
    expect(ids(await read(inbox, { reader: "a", channel: "other" }))).toEqual([3]);
    expect(ids(await read(inbox))).toEqual([1, 2]);
  });

  test("[M3] another's ack hides nothing from a reader", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await posts(inbox, 3);
    await ack(inbox, 1, 2);
    expect(ids(await read(inbox))).toEqual([3]);
    const seen = await read(inbox, { reader: "audit", commit: true });
    expect(seen.messages.map(({ id, status }) => [id, status])).toEqual([
      [1, "acked"],
      [2, "acked"],
      [3, "pending"],
    ]);
    expect((await inbox.call("messages.pending", { channel })).count).toBe(1);
  });

  test("[M3] a commit never moves a position backwards, and an empty page moves nothing", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await posts(inbox, 4);
    await read(inbox, { reader: "r", limit: 3, commit: true });
    expect(ids(await read(inbox, { reader: "r", afterId: 0, limit: 1, commit: true }))).toEqual([1]);
    expect(ids(await read(inbox, { reader: "r" }))).toEqual([4]);
    expect(ids(await read(inbox, { reader: "r", afterId: 100, commit: true }))).toEqual([]);
    expect(ids(await read(inbox, { reader: "r" }))).toEqual([4]);
  });

  test("[M3] a commit without a reader is refused", async () => {
    await using bench = await start();
    await posts(bench.inbox, 1);
    expect((await refusal(read(bench.inbox, { commit: true }))).code).toBe("invalid_input");
  });

  test("[M3] racing commits of one reader end at the furthest", async () => {
    await using bench = await start();
    await posts(bench.inbox, 8);
    const connections = Array.from({ length: 8 }, () => bench.another());
    await Promise.all(
      connections.map((inbox, i) => read(inbox, { reader: "r", afterId: 0, limit: 8 - i, commit: true })),
    );
    expect(ids(await read(bench.inbox, { reader: "r" }))).toEqual([]);
  });

  test("[M3] no cursor skips a message while eight connections append", async () => {
    await using bench = await start();
    const each = 15;
    let writing = 8;
    const writers = Array.from({ length: 8 }, async (_, i) => {
      const inbox = bench.another();
      const own: number[] = [];
      for (let n = 0; n < each; n++) own.push((await post(inbox, { content: `${i}-${n}` })).id);
      writing--;
      return own;
    });
    const follow = async (more: (last: number) => Partial<InputOf<"messages.inbox">>) => {
      const inbox = bench.another();
      const seen: number[] = [];
      for (;;) {
        const last = !writing;
        const page = await read(inbox, more(seen.at(-1) ?? 0));
        seen.push(...ids(page));
        if (last && !page.count) return seen;
        await turn();
      }
    };
    const readers = [
      follow((afterId) => ({ afterId, limit: 1000 })),
      follow((afterId) => ({ afterId, limit: 7, includeAcked: true })),
      follow(() => ({ reader: "stored", limit: 5, commit: true })),
    ];
    const own = await Promise.all(writers);
    for (const numbers of own) expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    const all = own.flat().sort((a, b) => a - b);
    expect(new Set(all).size).toBe(8 * each);
    for (const seen of await Promise.all(readers)) expect(seen).toEqual(all);
  });

  test("[M5] a message is visible while it expires later than now, to the millisecond", async () => {
    await using bench = await start();
    const { inbox } = bench;
    bench.freeze();
    await post(inbox, { ttlSeconds: 10 });
    await post(inbox);
    bench.pass(9.999);
    expect(ids(await read(inbox))).toEqual([1, 2]);
    bench.pass(0.001);
    expect(ids(await read(inbox))).toEqual([2]);
  });

  test("[M5] an expired message is in no read, no count and no wait", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, { correlationId: "r" });
    await inbox.call("messages.ack", { id: 1, agent: "w" });
    await post(inbox, { sender: "w2", correlationId: "r", ttlSeconds: 10 });
    await post(inbox, { sender: "w2", correlationId: "r", ttlSeconds: 10 });
    await inbox.call("messages.ack", { id: 3, agent: "w" });
    expect(ids(await read(inbox, { includeAcked: true }))).toEqual([1, 2, 3]);
    bench.pass(10);
    expect(ids(await read(inbox))).toEqual([]);
    expect(ids(await read(inbox, { includeAcked: true }))).toEqual([1]);
    expect(ids(await read(inbox, { reader: "any" }))).toEqual([1]);
    expect(ids(await inbox.call("messages.replies", { correlationId: "r" }))).toEqual([]);
    expect((await inbox.call("messages.pending", { channel })).count).toBe(0);
    expect((await refusal(inbox.call("messages.status", { id: 2 }))).code).toBe("not_found");
    const mailbox = { agent: channel };
    expect(await inbox.call("mailbox.list", mailbox)).toEqual({ messages: [], total: 0, hidden: 0 });
    const none = { woke: false, messages: [] };
    expect(await inbox.call("mailbox.check", mailbox)).toMatchObject({ ...none, hidden: 0 });
    const wait = { ...mailbox, timeoutSeconds: 0.02 };
    expect(await inbox.call("mailbox.receive", wait)).toMatchObject(none);
    expect(await inbox.call("mailbox.wait", wait)).toMatchObject(none);
    expect(await inbox.call("mailbox.gather", { ...wait, from: ["ci"] })).toMatchObject(none);
  });

  test("[M5] a message that expires in a reader's hands is not hidden, it is gone", async () => {
    await using bench = await start();
    const { inbox } = bench;
    bench.freeze();
    await post(inbox, { ttlSeconds: 10 });
    await inbox.call("mailbox.receive", { agent: channel, ack: "manual", visibilitySeconds: 5 });
    expect((await inbox.call("mailbox.check", { agent: channel })).hidden).toBe(1);
    bench.pass(10);
    expect(await inbox.call("mailbox.check", { agent: channel })).toMatchObject({ total: 0, hidden: 0 });
    expect((await inbox.call("deadLetters.list", {})).count).toBe(0);
  });

  test("[M6] pending counts unacked and unexpired messages, including hidden ones, but not dead ones", async () => {
    await using bench = await start();
    const { inbox } = bench;
    bench.freeze();
    const count = async () => (await inbox.call("messages.pending", { channel })).count;
    expect(await count()).toBe(0);
    await posts(inbox, 3);
    await post(inbox, { ttlSeconds: 5 });
    await post(inbox, { channel: "other" });
    expect(await count()).toBe(4);
    bench.pass(5);
    expect(await count()).toBe(3);
    await ack(inbox, 1);
    expect(await count()).toBe(2);
    await inbox.call("mailbox.receive", { agent: channel, ack: "manual" });
    expect(await count()).toBe(2);
    for (let i = 0; i < 4; i++) {
      bench.pass(61);
      await inbox.call("mailbox.receive", { agent: channel, ack: "manual" });
    }
    expect(await count()).toBe(2);
    bench.pass(61);
    const { messages } = await inbox.call("mailbox.receive", { agent: channel, ack: "manual" });
    expect(messages.map(({ id }) => id)).toEqual([3]);
    expect(await count()).toBe(1);
  });

  test("[M7] gc deletes expired messages, and returns how many", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, { ttlSeconds: 10 });
    await post(inbox, { ttlSeconds: 10 });
    await post(inbox, { ttlSeconds: 1000 });
    await posts(inbox, 2);
    await ack(inbox, 2, 4);
    bench.pass(10);
    expect(await inbox.call("messages.gc", {})).toEqual({ expired: 2, acked: 0 });
    expect(await inbox.call("messages.gc", {})).toEqual({ expired: 0, acked: 0 });
    expect(ids(await read(inbox, { includeAcked: true }))).toEqual([3, 4, 5]);
  });

  test("[M7] with the option gc deletes messages that were acked earlier, to the millisecond", async () => {
    await using bench = await start();
    const { inbox } = bench;
    bench.freeze();
    await posts(inbox, 3);
    await ack(inbox, 1);
    bench.pass(0.001);
    await ack(inbox, 2);
    bench.pass(2 * hour - 0.001);
    expect(await inbox.call("messages.gc", {})).toEqual({ expired: 0, acked: 0 });
    expect(await inbox.call("messages.gc", { ackedOlderThanHours: 3 })).toEqual({ expired: 0, acked: 0 });
    expect(await inbox.call("messages.gc", { ackedOlderThanHours: 2 })).toEqual({ expired: 0, acked: 1 });
    expect(ids(await read(inbox, { includeAcked: true }))).toEqual([2, 3]);
    for (const ackedOlderThanHours of [0, -1, 1.5, Number.NaN, 1e300])
      expect((await refusal(inbox.call("messages.gc", { ackedOlderThanHours }))).code).toBe("invalid_input");
  });

  test("[M7] gc never deletes an unacked message that lives, nor any message of a thread", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("threads.send", { from: "lead", to: channel, subject: "s" });
    await inbox.call("threads.claim", { agent: channel, thread: "thr_1" });
    await inbox.call("threads.done", { agent: channel, thread: "thr_1", summary: "ok" });
    await inbox.call("messages.ackAll", { channel: "lead", agent: "lead" });
    await posts(inbox, 2);
    await inbox.call("mailbox.receive", { agent: channel, ack: "manual" });
    bench.pass(1000 * hour);
    expect(await inbox.call("messages.gc", { ackedOlderThanHours: 1 })).toEqual({ expired: 0, acked: 0 });
    expect((await inbox.call("threads.show", { thread: "thr_1" })).messages).toHaveLength(2);
    expect(ids(await read(inbox))).toEqual([3, 4]);
  });

  test("[M7] an id is never used again after gc", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await posts(inbox, 2);
    await ack(inbox, 1, 2);
    bench.pass(2 * hour);
    await inbox.call("messages.gc", { ackedOlderThanHours: 1 });
    expect((await post(inbox)).id).toBe(3);
  });

  /** Messages 1 to `count`; of these gc has deleted `pruned`. */
  async function pruned(
    bench: { inbox: Inbox; pass(seconds: number): void },
    count: number,
    numbers: number[],
  ) {
    await posts(bench.inbox, count);
    await ack(bench.inbox, ...numbers);
    bench.pass(2 * hour);
    const { acked } = await bench.inbox.call("messages.gc", { ackedOlderThanHours: 1 });
    expect(acked).toBe(numbers.length);
  }

  test("[M7] a stored cursor before a pruned range has expired, and learns the oldest id still there", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await posts(inbox, 2);
    await read(inbox, { reader: "r", limit: 1, commit: true });
    await posts(inbox, 3);
    await ack(inbox, 1, 2, 3);
    bench.pass(2 * hour);
    await inbox.call("messages.gc", { ackedOlderThanHours: 1 });
    const error = await refusal(read(inbox, { reader: "r" }));
    expect(error.code).toBe("cursor_expired");
    expect(error.details).toMatchObject({ oldest_id: 4 });
    expect(error.hint).toContain("4");
    // It does not move by itself; going on as told misses nothing.
    expect((await refusal(read(inbox, { reader: "r", commit: true }))).code).toBe("cursor_expired");
    expect(ids(await read(inbox, { reader: "r", afterId: 3, commit: true }))).toEqual([4, 5]);
    expect(ids(await read(inbox, { reader: "r" }))).toEqual([]);
  });

  test("[M7] so has an afterId above 0 with acked messages included; from 0 it begins at the oldest", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await pruned(bench, 5, [2, 3]);
    const error = await refusal(read(inbox, { afterId: 1, includeAcked: true }));
    expect(error.code).toBe("cursor_expired");
    expect(error.details).toMatchObject({ oldest_id: 4 });
    expect((await refusal(read(inbox, { afterId: 2, includeAcked: true }))).code).toBe("cursor_expired");
    expect(ids(await read(inbox, { afterId: 3, includeAcked: true }))).toEqual([4, 5]);
    expect(ids(await read(inbox, { afterId: 0, includeAcked: true }))).toContain(5);
    expect(ids(await read(inbox, { includeAcked: true }))).toEqual([1, 4, 5]);
  });

  test("[M7] a reader that does not ask for acked messages misses none when they are deleted", async () => {
    await using bench = await start();
    await pruned(bench, 5, [2, 3]);
    expect(ids(await read(bench.inbox, { afterId: 1 }))).toEqual([4, 5]);
    expect(ids(await read(bench.inbox))).toEqual([1, 4, 5]);
  });

  test("[M7] messages before the gap are still read; then the cursor is refused: there is no silent gap", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await pruned(bench, 9, [4, 5, 8]);
    const seen: number[] = [];
    const oldest: number[] = [];
    let afterId = 1;
    for (;;) {
      const page = await read(inbox, { afterId, includeAcked: true, limit: 1000 }).catch((error) => error);
      if (page instanceof InboxError) {
        expect(page.code).toBe("cursor_expired");
        oldest.push(Number(page.details?.oldest_id));
        afterId = oldest.at(-1)! - 1;
        continue;
      }
      if (!page.count) break;
      seen.push(...ids(page));
      afterId = seen.at(-1)!;
    }
    expect(seen).toEqual([2, 3, 6, 7, 9]);
    expect(oldest).toEqual([6, 9]);
  });

  test("[M7] a filter does not turn the gap into an end", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox);
    await post(inbox);
    await post(inbox, { sender: "other", correlationId: "r" });
    await post(inbox, { sender: "other", correlationId: "r" });
    await ack(inbox, 3);
    bench.pass(2 * hour);
    await inbox.call("messages.gc", { ackedOlderThanHours: 1 });
    for (const filter of [{ sender: "other" }, { correlationId: "r" }]) {
      const error = await refusal(read(inbox, { afterId: 1, includeAcked: true, ...filter }));
      expect(error.code).toBe("cursor_expired");
      expect(error.details).toMatchObject({ oldest_id: 4 });
    }
  });

  test("[M7] a gap is made by every later gc, and two that meet are one", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await pruned(bench, 6, [4]);
    await ack(inbox, 2);
    bench.pass(2 * hour);
    await inbox.call("messages.gc", { ackedOlderThanHours: 1 });
    const first = await refusal(read(inbox, { afterId: 1, includeAcked: true }));
    expect(first.details).toMatchObject({ oldest_id: 3 });
    expect(ids(await read(inbox, { afterId: 2, includeAcked: true }))).toEqual([3]);
    await ack(inbox, 3);
    bench.pass(2 * hour);
    await inbox.call("messages.gc", { ackedOlderThanHours: 1 });
    const second = await refusal(read(inbox, { afterId: 1, includeAcked: true }));
    expect(second.details).toMatchObject({ oldest_id: 5 });
    expect(ids(await read(inbox, { afterId: 4, includeAcked: true }))).toEqual([5, 6]);
  });

  test("[M7] if nothing is left, continuing as the error says finds the next message", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await posts(inbox, 1);
    await read(inbox, { reader: "r", commit: true });
    await pruned(bench, 2, [1, 2, 3]);
    const error = await refusal(read(inbox, { reader: "r" }));
    expect(error.code).toBe("cursor_expired");
    const afterId = Number(error.details?.oldest_id) - 1;
    expect(ids(await read(inbox, { reader: "r", afterId }))).toEqual([]);
    await post(inbox);
    expect(ids(await read(inbox, { reader: "r", afterId }))).toEqual([4]);
  });

  test("[M7] a reader that has never committed has no cursor that could expire: it begins at the oldest", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await pruned(bench, 4, [1, 2]);
    expect(ids(await read(inbox, { reader: "fresh", commit: true }))).toEqual([3, 4]);
    await post(inbox);
    expect(ids(await read(inbox, { reader: "fresh" }))).toEqual([5]);
  });

  test("[M7] the gap is in its own channel, and behind a cursor it is of no interest", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, { channel: "other" });
    await posts(inbox, 3);
    await read(inbox, { reader: "r", limit: 2, commit: true });
    await read(inbox, { reader: "r", channel: "other", commit: true });
    await ack(inbox, 2, 3);
    await post(inbox, { channel: "other" });
    bench.pass(2 * hour);
    expect(await inbox.call("messages.gc", { ackedOlderThanHours: 1 })).toEqual({ expired: 0, acked: 2 });
    expect(ids(await read(inbox, { reader: "r" }))).toEqual([4]);
    expect(ids(await read(inbox, { reader: "r", channel: "other" }))).toEqual([5]);
    expect(ids(await read(inbox, { channel: "other", afterId: 1, includeAcked: true }))).toEqual([5]);
  });

  test("[M7] deleting expired messages leaves no gap: nobody could read them any more", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox);
    await read(inbox, { reader: "r", commit: true });
    await post(inbox, { ttlSeconds: 10 });
    await post(inbox);
    bench.pass(10);
    expect(ids(await read(inbox, { reader: "r" }))).toEqual([3]);
    await inbox.call("messages.gc", {});
    expect(ids(await read(inbox, { reader: "r" }))).toEqual([3]);
  });

  test("[M8] replies are the messages of others with that correlation id after the first, across channels", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const request = { channel: "reviewer", sender: "requester", correlationId: "review-42" };
    await post(inbox, request);
    await post(inbox, { correlationId: "another" });
    await post(inbox, {
      channel: "requester",
      sender: "reviewer",
      correlationId: "review-42",
      content: "LGTM",
    });
    await post(inbox, { channel: "log", sender: "second", correlationId: "review-42" });
    await ack(inbox, 3);
    const answer = await inbox.call("messages.replies", { correlationId: "review-42" });
    expect(answer).toMatchObject({ correlationId: "review-42", count: 2 });
    expect(answer.messages).toMatchObject([
      { id: 3, channel: "requester", sender: "reviewer", content: "LGTM", status: "acked" },
      { id: 4, channel: "log", sender: "second", status: "pending" },
    ]);
    expect(ids(await inbox.call("messages.replies", { correlationId: "review-42", limit: 1 }))).toEqual([3]);
    expect(ids(await inbox.call("messages.replies", { correlationId: "another" }))).toEqual([]);
    expect(ids(await inbox.call("messages.replies", { correlationId: "unknown" }))).toEqual([]);
    for (const limit of [0, 1001, 1.5])
      expect((await refusal(inbox.call("messages.replies", { correlationId: "x", limit }))).code).toBe(
        "invalid_input",
      );
  });

  test("[M8] further requests of the first sender are not replies: neither to others nor as copies of a broadcast", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const ask = (name: string) => post(inbox, { channel: name, sender: "lead", correlationId: "r" });
    const answer = (sender: string) => post(inbox, { channel: "lead", sender, correlationId: "r" });
    await ask("a");
    await ask("b");
    const { id } = await answer("b");
    await ask("b");
    const { id: second } = await answer("a");
    expect(ids(await inbox.call("messages.replies", { correlationId: "r" }))).toEqual([id, second]);
    await post(inbox, { channel: "*", sender: "lead", correlationId: "all" });
    expect(ids(await inbox.call("messages.replies", { correlationId: "all" }))).toEqual([]);
    const { copies } = await post(inbox, { channel: "*", sender: "a", correlationId: "all" });
    const answers = ids(await inbox.call("messages.replies", { correlationId: "all" }));
    expect(answers).toEqual(copies!.map((copy) => copy.id));
  });

  test("[M8] a sender without a name may be anybody: the second such message is a reply", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, { channel: "reviewer", sender: "cli", correlationId: "r" });
    const { id } = await post(inbox, { channel: "requester", sender: "cli", correlationId: "r" });
    expect(ids(await inbox.call("messages.replies", { correlationId: "r" }))).toEqual([id]);
  });

  test("[M8] a request that is gone takes no reply with it", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, { correlationId: "r", ttlSeconds: 10 });
    await post(inbox, { channel: "requester", sender: "w1", correlationId: "r" });
    await post(inbox, { channel: "requester", sender: "w2", correlationId: "r" });
    const replies = async () => ids(await inbox.call("messages.replies", { correlationId: "r" }));
    expect(await replies()).toEqual([2, 3]);
    bench.pass(10);
    expect(await replies()).toEqual([2, 3]);
    await inbox.call("messages.gc", {});
    expect(await replies()).toEqual([2, 3]);
  });

  test("[M11] a receipt tells what became of a message: stored, handed over, acked", async () => {
    await using bench = await start();
    const { inbox } = bench;
    bench.freeze();
    const { createdAt } = await post(inbox, { channel: "w", ttlSeconds: hour });
    const stored = await inbox.call("messages.status", { id: 1 });
    expect(stored).toEqual({
      id: 1,
      channel: "w",
      sender: "ci",
      status: "pending",
      storedAt: createdAt,
      firstHandedAt: null,
      handed: 0,
      ackedAt: null,
      ackedBy: null,
      deadAt: null,
      deadReason: null,
      expiresAt: new Date(Date.parse(createdAt) + hour * 1000).toISOString(),
    });
    const at = (seconds: number) => new Date(Date.parse(createdAt) + seconds * 1000).toISOString();
    bench.pass(1);
    await inbox.call("mailbox.receive", { agent: "w", ack: "manual" });
    expect(await inbox.call("messages.status", { id: 1 })).toEqual({
      ...stored,
      firstHandedAt: at(1),
      handed: 1,
    });
    bench.pass(100);
    await inbox.call("mailbox.receive", { agent: "w" });
    expect(await inbox.call("messages.status", { id: 1 })).toEqual({
      ...stored,
      status: "acked",
      firstHandedAt: at(1),
      handed: 2,
      ackedAt: at(101),
      ackedBy: "w",
    });
    expect((await refusal(inbox.call("messages.status", { id: 2 }))).code).toBe("not_found");
  });

  test("[M11] a thread's message has a receipt too: a claim that showed it has handed it over", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("threads.send", { from: "lead", to: "w", subject: "s" });
    expect(await inbox.call("messages.status", { id: 1 })).toMatchObject({ status: "pending", handed: 0 });
    await inbox.call("threads.claim", { agent: "w", thread: "thr_1" });
    const { firstHandedAt, ...receipt } = await inbox.call("messages.status", { id: 1 });
    expect(receipt).toMatchObject({ status: "acked", ackedBy: "w", handed: 1 });
    expect(firstHandedAt).not.toBeNull();
  });
});
