/** The plain cases of sending, claiming and ending: one statement each, which does what the procedures do step by step. */
import { expect, test } from "bun:test";
import postgres from "postgres";
import { tokenFrom } from "../../src/bus/lease.ts";
import { InboxError } from "../../src/contract/errors.ts";
import { numberOf } from "../../src/contract/ids.ts";
import type { OutputOf } from "../../src/contract/operations/index.ts";
import { tables } from "../../src/engines/tables.ts";
import { type Inbox, type InboxOptions, openInbox } from "../../src/inbox/inbox.ts";
import { inFull } from "../support/in-full.ts";
import { postgresUrl, temporarySchema } from "../support/postgres.ts";
import { postgresSuite, times, within } from "../support/postgres-suite.ts";
import { type Fault, startProxy } from "../support/proxy.ts";
import { randomOf } from "../support/random.ts";
import { flaws, stored } from "../support/stored-postgres.ts";
import { until } from "../support/until.ts";

interface Way {
  stepwise?: boolean;
  /** Every call by a process of its own, as commands are: it knows nobody. */
  byCommands?: boolean;
}

function byCommands(url: string, options: InboxOptions): Pick<Inbox, "call" | "hand" | "close"> {
  const opened = async <T>(work: (inbox: Inbox) => Promise<T>): Promise<T> => {
    const inbox = openInbox(url, { ...options, brief: true });
    return work(inbox).finally(() => inbox.close());
  };
  return {
    call: (...call) => opened((inbox) => inbox.call(...call)),
    hand: (...call) => opened((inbox) => inbox.hand(...call)),
    close: async () => {},
  };
}

/** A bus whose clock only the test moves, behind a proxy that counts. */
async function bus(now: () => number, { stepwise, ...way }: Way = {}) {
  const place = await temporarySchema();
  const proxy = await startProxy(place.url);
  const options = { now, stepwise };
  const inbox = way.byCommands ? (byCommands(proxy.url, options) as Inbox) : openInbox(proxy.url, options);
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

/** A topic in use, and two agents that this process knows. */
async function introduced(inbox: Inbox): Promise<void> {
  await inbox.call("messages.send", { channel: "topic", sender: "w", content: "I am here" });
  await inbox.call("messages.send", { channel: "w", sender: "l", content: "I am here" });
}

const schemaOf = (url: string) => new URL(url).searchParams.get("schema") ?? "restante";

type Call = (inbox: Inbox) => Promise<unknown>;

/** A thread that was claimed, and by whom; it may have been ended since, or taken over. */
interface Held {
  agent: string;
  thread: string;
  /** If it follows from the id of the call: then it is the same on every bus. */
  leaseToken: string | undefined;
}

function heldBy(outcome: object): Held[] {
  const { value } = outcome as { value?: Partial<OutputOf<"threads.claim">> };
  if (!value?.lease?.token || !value.thread) return [];
  const { token } = value.lease;
  const leaseToken = token.startsWith("00000000") ? token : undefined;
  return [{ agent: value.thread.assignedTo, thread: value.thread.threadId, leaseToken }];
}

const idOf = (number: number) => `00000000-0000-4000-8${String(number).padStart(3, "0")}-000000000000`;

/** A call of a history, the same one on every bus. Tokens follow from the ids of calls, so these are the same too. */
function randomCall(random: () => number, number: number, held: readonly Held[]): Call {
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  const handOver = idOf(number);
  const agent = one(["a", "b", 'c "quoted" \\ ä']);
  const thread = `thr_${1 + Math.floor(random() * (1 + number / 3))}`;
  const said = one([
    {},
    { body: `line\n"quoted" \\ \u0001 ${number}` },
    { summary: "s", payload: { n: number, text: "'" } },
    { body: "b", artifacts: [{ path: "x.txt" }] },
  ]);
  const ended =
    random() < 0.8 && held.length ? one(held.slice(-5)) : { agent, thread, leaseToken: undefined };
  const leaseToken = one([undefined, ended.leaseToken, held[0]?.leaseToken]);
  const priority = one(["low", "normal", "high"] as const);
  const from = one(["leader", 'lead "er" \\', "a", "user"]);
  const content = one(["x", ' two\n"lines" \\ \'', " "]);
  const post: Call = (inbox) =>
    inbox.call("messages.send", {
      sender: from,
      channel: one([agent, agent, "topic", "topic", "pool", "*", "user", "nobody"]),
      content,
      ...one([{}, {}, { taskId: "T1", metadata: { n: "'" } }, { ttlSeconds: 60 }, { correlationId: "c" }]),
    });
  const mail: Call = (inbox) =>
    inbox.call("mailbox.send", { from, to: one([agent, agent, "topic", "task_1"]), message: content });
  const claim: Call = (inbox) =>
    inbox.call("threads.claim", { agent, leaseSeconds: one([60, 300]) }, { handOver });
  const endAndClaim: Call = (inbox) =>
    inbox.call(
      "threads.claim",
      {
        agent: ended.agent,
        [one(["done", "fail"])]: ended.thread,
        leaseToken,
        ...said,
        leaseSeconds: one([60, 300]),
      },
      { handOver },
    );
  const end: Call = (inbox) =>
    inbox.call(one(["threads.done", "threads.fail"] as const), { ...ended, leaseToken, ...said });
  return one<Call>([
    (inbox) =>
      inbox.call("threads.send", { from, to: one([agent, agent, "pool"]), subject: "s", priority, ...said }),
    (inbox) => inbox.call("threads.send", { from, to: agent, subject: "s", priority }),
    (inbox) =>
      inbox.call("threads.send", { from, to: agent, subject: "s", run: "r", task: "T2", kind: "question" }),
    post,
    post,
    mail,
    claim,
    claim,
    claim,
    async (inbox) => (await inbox.hand("threads.claim", { agent }, { handOver })).value,
    end,
    end,
    endAndClaim,
    endAndClaim,
    (inbox) => inbox.call("threads.reply", { from: agent, thread, body: "more" }),
    (inbox) => inbox.call("threads.update", { agent, thread, status: "in_progress", body: "now" }),
    (inbox) => inbox.call("threads.release", { agent, thread }),
    (inbox) => inbox.call(one(["pools.join", "pools.leave"] as const), { agent: "b", pool: "pool" }),
  ]);
}

const outcome = (call: Promise<unknown>) =>
  call.then(
    (value) => ({ value }),
    (error) => {
      if (error instanceof InboxError) return { refused: error.message, details: error.details };
      throw error;
    },
  );

/** Without what the program has drawn by lot: ids of entries, and tokens that do not follow from the id of a call. */
const comparable = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value).replace(
      /\b(?!0{8})(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{24})\b/g,
      "drawn",
    ),
  );

async function contentOf(url: string): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  const order = (row: unknown) => JSON.stringify(row);
  for (const { name } of tables) {
    const rows: Record<string, unknown>[] = comparable(await stored(url, `select * from ${name}`));
    if (name === "events") for (const row of rows) delete row.mark;
    found[name] = rows.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
  }
  return found;
}

/** Cases that a history by chance rarely has; after how many milliseconds each call is made. */
const rare: [afterMs: number, Call][] = [
  [0, (inbox) => inbox.call("threads.send", { from: "l", to: "w", subject: "s", maxAttempts: 5 })],
  [0, (inbox) => inbox.call("threads.claim", { agent: "w", leaseSeconds: 60 }, { handOver: idOf(1) })],
  [70_000, (inbox) => inbox.call("threads.claim", { agent: "w" }, { handOver: idOf(2) })],
  [0, (inbox) => inbox.call("threads.release", { agent: "w", thread: "thr_1" })],
  // The attempt of the lease that was released stays.
  [2000, (inbox) => inbox.call("threads.claim", { agent: "w" }, { handOver: idOf(3) })],
  [0, (inbox) => inbox.call("threads.done", { agent: "w", thread: "thr_1", leaseToken: "0".repeat(24) })],
  [0, (inbox) => inbox.call("threads.done", { agent: "x", thread: "thr_1" })],
  [0, (inbox) => inbox.call("threads.done", { agent: "w", thread: "thr_1", summary: "", body: "" })],
  // Within a second of being seen, an agent is not recorded as seen again.
  [300, (inbox) => inbox.call("threads.done", { agent: "w", thread: "thr_1" })],
  [0, (inbox) => inbox.call("threads.done", { agent: "w", thread: "thr_1" })],
  [0, (inbox) => inbox.call("threads.send", { from: "l", to: "w", subject: "s" })],
  [600, (inbox) => inbox.call("threads.claim", { agent: "w" }, { handOver: idOf(4) })],
  [0, (inbox) => inbox.call("threads.send", { from: "l", to: "w", subject: "another" })],
  // The same call again has the same answer, although there is more to claim.
  [0, (inbox) => inbox.call("threads.claim", { agent: "w" }, { handOver: idOf(4) })],
  [1500, (inbox) => inbox.call("threads.fail", { agent: "w", thread: "thr_2", payload: { why: "x" } })],
  // Ends one and claims another; the same call again has the same answer.
  [0, (inbox) => inbox.call("threads.claim", { agent: "w" }, { handOver: idOf(5) })],
  [0, (inbox) => inbox.call("threads.send", { from: "l", to: "w", subject: "next" })],
  [0, (inbox) => inbox.call("threads.send", { from: "l", to: "w", subject: "one more" })],
  [10, (inbox) => inbox.call("threads.claim", { agent: "w", done: "thr_3" }, { handOver: idOf(6) })],
  [10, (inbox) => inbox.call("threads.claim", { agent: "w", done: "thr_3" }, { handOver: idOf(6) })],
  // A quota is seen by the next write, whichever way it goes.
  [0, (inbox) => inbox.call("messages.send", { channel: "w", sender: "l", content: "x" })],
  [0, (inbox) => inbox.call("mailbox.send", { to: "w", from: "l", message: "x" })],
  [0, (inbox) => inbox.call("quotas.set", { agent: "l", name: "l", messagesPerMinute: 1 })],
  [0, (inbox) => inbox.call("messages.send", { channel: "w", sender: "l", content: "x" })],
  [0, (inbox) => inbox.call("messages.send", { channel: "w", sender: "l", content: "x" })],
  [0, (inbox) => inbox.call("threads.send", { to: "w", from: "l", subject: "x" })],
  [0, (inbox) => inbox.call("quotas.set", { agent: "l", name: "l" })],
  [2500, (inbox) => inbox.call("messages.send", { channel: "w", sender: "l", content: "x" })],
  // Its lease has lapsed, and it is still the holder.
  [1_000_000, (inbox) => inbox.call("threads.claim", { agent: "w", fail: "thr_4" }, { handOver: idOf(7) })],
  [0, (inbox) => inbox.call("threads.claim", { agent: "w", done: "thr_5" }, { handOver: idOf(8) })],
];

postgresSuite("plain cases", () => {
  for (const byCommands of [false, true])
    test.concurrent(`[L5] [L7] [T7] the rare cases of it too${byCommands ? ", by commands" : ""}`, async () => {
      let now = Date.parse("2026-01-01T00:00:00.000Z");
      await using whole = await bus(() => now, { byCommands });
      await using stepwise = await bus(() => now, { byCommands, stepwise: true });
      for (const [number, [afterMs, call]] of rare.entries()) {
        now += afterMs;
        const [one, other] = [await outcome(call(whole.inbox)), await outcome(call(stepwise.inbox))];
        expect({ number, is: comparable(one) }).toEqual({ number, is: comparable(other) });
        const seen = "select name, last_seen_at from agents order by name";
        expect(await stored(whole.url, seen)).toEqual(await stored(stepwise.url, seen));
      }
      expect(await contentOf(whole.url)).toEqual(await contentOf(stepwise.url));
      expect(whole.proxy.heard.begun).toBeLessThan(stepwise.proxy.heard.begun - 3);
    }, 60_000);

  /** Of a history by chance: how many calls needed no transaction of their own. */
  async function history(seed: number, way: Way): Promise<number> {
    let now = Date.parse("2026-01-01T00:00:00.000Z");
    await using whole = await bus(() => now, way);
    await using stepwise = await bus(() => now, { ...way, stepwise: true });
    const random = randomOf(seed);
    const held: Held[] = [];
    for (const number of times(120, (i) => i + 1)) {
      now += random() < 0.05 ? 200_000 : Math.floor(random() * 2000);
      const choice = Math.floor(random() * 2 ** 32);
      const [one, other] = [whole, stepwise].map(({ inbox }) =>
        outcome(randomCall(randomOf(choice), number, held)(inbox)),
      );
      expect({ seed, number, is: comparable(await one) }).toEqual({
        seed,
        number,
        is: comparable(await other),
      });
      held.push(...heldBy(await one!));
    }
    expect({ seed, rows: await contentOf(whole.url) }).toEqual({
      seed,
      rows: await contentOf(stepwise.url),
    });
    expect(stepwise.proxy.heard.plain).toBe(0);
    return stepwise.proxy.heard.begun - whole.proxy.heard.begun;
  }

  test.concurrent("[L2] [T7] the same history leaves the same rows and has the same answers, by one statement and step by step", async () => {
    const histories = inFull(6, 40);
    let plain = 0;
    for (const seed of times(histories, (i) => i + 1)) plain += await history(seed, {});
    expect(plain).toBeGreaterThan(histories * 5);
  }, 120_000);

  test.concurrent("[M1] [T1] [L2] the same for commands, which know nobody", async () => {
    // Each call connects anew, which takes as long as ten calls.
    const histories = inFull(1, 10);
    let plain = 0;
    for (const seed of times(histories, (i) => i + 1)) plain += await history(seed, { byCommands: true });
    expect(plain).toBeGreaterThan(histories * 5);
  }, 120_000);

  test.concurrent("[L2] [T7] a claim and its end by a known agent are two statements, and no transaction is begun", async () => {
    await using place = await bus(Date.now);
    const { inbox, proxy } = place;
    for (const _ of times(3, () => 0)) await inbox.call("threads.send", { from: "l", to: "w", subject: "s" });
    await inbox.call("messages.send", { channel: "c", sender: "w", content: "I am here" });
    const { begun } = proxy.heard;
    const { thread } = await inbox.call("threads.claim", { agent: "w" });
    await inbox.call("threads.done", { agent: "w", thread: thread!.threadId, body: "done" });
    expect(proxy.heard).toEqual({ begun, plain: 2 });
  });

  test.concurrent("[M1] [T1] a message and a thread between known agents are one statement each, and no transaction is begun", async () => {
    await using place = await bus(Date.now);
    const { inbox, proxy } = place;
    await introduced(inbox);
    const { begun } = proxy.heard;
    await inbox.call("messages.send", { channel: "w", sender: "l", content: "x", taskId: "T" });
    await inbox.call("messages.send", { channel: "topic", sender: "l", content: "x" });
    await inbox.call("mailbox.send", { to: "w", from: "l", message: "x" });
    await inbox.call("threads.send", { to: "w", from: "l", subject: "s" });
    expect(proxy.heard).toEqual({ begun, plain: 4 });
  });

  test.concurrent("[M1] [T1] [L2] a command sends and claims by one statement over one connection, although it knows nobody", async () => {
    await using place = await bus(Date.now);
    const { proxy } = place;
    await introduced(place.inbox);
    const { begun, plain } = proxy.heard;
    const { made } = proxy;
    const command = byCommands(proxy.url, {});
    await command.call("mailbox.send", { to: "w", from: "l", message: "x" });
    await command.call("messages.send", { channel: "topic", sender: "l", content: "x" });
    await command.call("threads.send", { to: "w", from: "l", subject: "s" });
    expect((await command.call("threads.claim", { agent: "w" })).thread?.subject).toBe("s");
    expect(proxy.heard).toEqual({ begun, plain: plain + 4 });
    expect(proxy.made).toBe(made + 4);
    // Whom the database does not know either is left to the procedure.
    const refused = await outcome(command.call("mailbox.send", { to: "w", from: "User", message: "x" }));
    expect(refused).toHaveProperty("refused");
    const sent = await command.call("mailbox.send", { to: "nobody", from: "new", message: "x" });
    expect(sent.recipient.known).toBe(false);
  });

  test.concurrent("[M13] a message to a sub-agent that has finished, or to a topic that became a pool, goes step by step", async () => {
    await using place = await bus(Date.now);
    const { inbox, url } = place;
    for (const [sender, channel] of [
      ["gone", "topic"],
      ["l", "gone"],
      ["l", "topic"],
    ] as const)
      await inbox.call("messages.send", { channel, sender, content: "I am here" });
    await stored(url, "update agents set ended_at = '9999' where name = 'gone'");
    const mail = await inbox.call("mailbox.send", { to: "gone", from: "l", message: "x" });
    const thread = await inbox.call("threads.send", { to: "gone", from: "l", subject: "x" });
    expect([mail.recipient.ended, thread.recipient.ended]).toEqual([true, true]);
    await inbox.call("pools.join", { agent: "p", pool: "topic" });
    const copied = await inbox.call("messages.send", { channel: "topic", sender: "l", content: "x" });
    expect(copied.copies?.map(({ channel }) => channel)).toEqual(["p"]);
  });

  test.concurrent("[G2] messages that several processes send to one topic at once are numbered in the order in which they can be read", async () => {
    await using place = await bus(Date.now);
    const { inbox, url } = place;
    const others = times(3, () => openInbox(url));
    for (const own of others)
      await own.call("messages.send", { channel: "topic", sender: "l", content: "0" });
    let last = 0;
    const seen: number[] = [];
    const read = async () => {
      const { messages } = await inbox.call("messages.inbox", {
        channel: "topic",
        afterId: last,
        limit: 1000,
      });
      seen.push(...messages.map(({ id }) => id));
      last = seen.at(-1) ?? 0;
    };
    let sending = true;
    const sends = Promise.all(
      others.map(async (own) => {
        for (const i of times(40, (n) => n))
          await Promise.all([
            own.call("messages.send", { channel: "topic", sender: "l", content: `${i}` }),
            own.call("messages.send", { channel: "topic", sender: "l", content: `${i} too` }),
          ]);
      }),
    ).finally(() => (sending = false));
    while (sending) await read();
    await sends;
    await read();
    const all = await stored(url, "select message_id from messages order by message_id");
    expect(seen).toEqual(all.map((row) => Number(row.message_id)));
    expect(await flaws(url)).toEqual([]);
    for (const own of others) await own.close();
  });

  test.concurrent("[G4] [M1] [T1] a plain message or thread whose answer was lost is written once, and answered", async () => {
    for (const fault of ["cut before", "cut after", "abandon before"] as const satisfies Fault[]) {
      await using place = await bus(Date.now);
      const { inbox, proxy, url } = place;
      await introduced(inbox);
      const under = async <T>(call: () => Promise<T>): Promise<T> => {
        const struck = proxy.strike(fault);
        const answer = await call();
        await within(14, `the fault "${fault}"`, struck);
        return answer;
      };
      const posted = await under(() =>
        inbox.call("messages.send", { channel: "w", sender: "l", content: "a" }),
      );
      const mailed = await under(() => inbox.call("mailbox.send", { to: "w", from: "l", message: "b" }));
      const created = await under(() => inbox.call("threads.send", { to: "w", from: "l", subject: "c" }));
      expect(proxy.heard.plain).toBe(3);
      const rows = await stored(
        url,
        `select events.event_id, messages.message_id, messages.summary, messages.thread_id
         from messages join events on events.message_id = messages.message_id where messages.summary <> 'I am here' order by 2`,
      );
      expect(rows.map(({ summary }) => summary)).toEqual(["a", "b", "c"]);
      expect(posted).toMatchObject({
        id: Number(rows[0]!.message_id),
        content: "a",
        recipient: { known: true },
      });
      expect(mailed).toMatchObject({
        message: { messageId: `msg_${rows[1]!.message_id}`, summary: "b" },
        nextEventId: Number(rows[1]!.event_id),
      });
      expect(created).toMatchObject({
        thread: { threadId: `thr_${rows[2]!.thread_id}`, subject: "c" },
        nextEventId: Number(rows[2]!.event_id),
      });
      expect(await flaws(url)).toEqual([]);
    }
  }, 60_000);

  test.concurrent("[B4.7] a claim that is repeated while it runs has one answer, in one process and in two", async () => {
    for (const stepwise of [false, true]) {
      using place = await temporarySchema();
      const both = times(2, () => openInbox(place.url, { stepwise }));
      const [first, second] = [both[0]!, both[1]!];
      await introduced(first);
      const sent = await Promise.all(
        times(240, (i) => first.call("threads.send", { from: "l", to: "w", subject: `${i}` })),
      );
      // Calls at once may be numbered in any order. The last ones are claimed by their ids, before a bare claim comes to them: whoever
      // claims what it holds already gets a new token each time.
      const ids = sent.map(({ thread }) => thread.threadId).sort((a, b) => numberOf(a) - numberOf(b));
      for (const callers of times(60, (i) => (i % 2 ? [first, first] : [first, second]))) {
        const done = (await first.call("threads.claim", { agent: "w" })).thread!.threadId;
        const asked = [{}, { done, body: "b" }, { thread: ids.pop()! }];
        for (const input of asked) {
          const handOver = crypto.randomUUID();
          const answers = await Promise.all(
            callers.map((inbox) => inbox.call("threads.claim", { agent: "w", ...input }, { handOver })),
          );
          const [one, other] = answers.map(({ thread, lease }) => [thread?.threadId, lease?.token]);
          expect(one).toEqual(other!);
        }
      }
      for (const inbox of both) await inbox.close();
    }
  }, 60_000);

  test.concurrent("[B4.7] a claim that is repeated while the first one is undecided delays no other call for long", async () => {
    using place = await temporarySchema();
    const inbox = openInbox(place.url);
    await introduced(inbox);
    for (const subject of ["a", "b"]) await inbox.call("threads.send", { from: "l", to: "w", subject });
    const handOver = crypto.randomUUID();
    const other = postgres(postgresUrl!, {
      max: 1,
      onnotice: () => {},
      connection: { search_path: place.schema },
    });
    await other.unsafe("begin");
    await other.unsafe(
      `insert into leases (thread_id, agent_id, lease_token, attempt, claimed_at, expires_at) values (2, 'w', '${tokenFrom(handOver)}', 1, '', '2999')`,
    );
    const claiming = inbox.call("threads.claim", { agent: "w" }, { handOver });
    await within(4, "a send", inbox.call("messages.send", { channel: "w", sender: "l", content: "c" }));
    await other.unsafe("rollback");
    expect((await claiming).lease?.token).toBe(tokenFrom(handOver));
    await other.end();
    await inbox.close();
  });

  test.concurrent("[G4] if it cannot be found out whether a message was written, that is what its sender is told", async () => {
    await using place = await bus(Date.now);
    const { inbox, proxy, url } = place;
    await introduced(inbox);
    // The server has written it and falls silent; it is looked for once the connection is cut.
    const struck = proxy.strike("freeze after");
    const answer = outcome(inbox.call("mailbox.send", { to: "w", from: "l", message: "x" }));
    await within(14, "the fault", struck);
    const other = postgres(url.split("?")[0]!, { max: 1, onnotice: () => {} });
    await other.begin(async (locking) => {
      await locking`lock table ${locking(schemaOf(url))}.events in access exclusive mode`;
      proxy.cut();
      expect(await answer).toMatchObject({ details: { known: false } });
    });
    await other.end();
    expect(await stored(url, "select 1 from messages where summary = 'x'")).toHaveLength(1);
  }, 60_000);

  test.concurrent("[W1] [M1] a message that is found after its answer was lost wakes those who wait for it", async () => {
    await using place = await bus(Date.now);
    const { inbox, proxy, url } = place;
    await introduced(inbox);
    const said: string[] = [];
    const ear = postgres(url.split("?")[0]!, { max: 1, onnotice: () => {} });
    await ear.listen(`restante_${schemaOf(url)}`, (payload) => void said.push(payload));
    const struck = proxy.strike("cut after");
    await inbox.call("mailbox.send", { to: "w", from: "l", message: "x" });
    await within(14, "the cut", struck);
    await until("its wake-up has come", () => said.length > 0);
    await ear.end();
  }, 60_000);

  test.concurrent("[M13] a sender that the database does not know any more becomes known again with its next message", async () => {
    await using place = await bus(Date.now);
    const { inbox, url } = place;
    await introduced(inbox);
    await stored(url, "delete from agents where name = 'l'");
    await until("it is known again", async () => {
      await inbox.call("messages.send", { channel: "w", sender: "l", content: "x" });
      return (await stored(url, "select 1 from agents where name = 'l'")).length === 1;
    });
  });

  test.concurrent("[L1] [L2] claims at the same time, by several processes, get a thread each, and all can be ended", async () => {
    await using place = await bus(Date.now);
    const { inbox, url } = place;
    for (const i of times(60, (i) => i))
      await inbox.call("threads.send", { from: `l${i % 3}`, to: "w", subject: "s" });
    const others = times(3, () => openInbox(url));
    const taken = await Promise.all(
      times(64, async (i) => {
        const own = others[i % 3]!;
        const { thread } = await own.call("threads.claim", { agent: "w" });
        if (thread) await own.call("threads.done", { agent: "w", thread: thread.threadId, body: `${i}` });
        return thread?.threadId;
      }),
    );
    for (const other of others) await other.close();
    const got = taken.filter((id) => id !== undefined);
    expect(new Set(got).size).toBe(got.length);
    expect(got.length).toBe(60);
    expect(await stored(url, "select thread_id from threads where status <> 'done'")).toEqual([]);
    expect(await flaws(url)).toEqual([]);
  });

  test.concurrent("[G4] [L1] [T7] a plain claim or end whose answer was lost is done once, and answered", async () => {
    for (const fault of ["cut before", "cut after", "abandon before"] as const satisfies Fault[]) {
      await using place = await bus(Date.now);
      const { inbox, proxy, url } = place;
      for (const _ of times(3, () => 0))
        await inbox.call("threads.send", { from: "l", to: "w", subject: "s" });
      await inbox.call("messages.send", { channel: "c", sender: "w", content: "I am here" });
      const claiming = proxy.strike(fault);
      const { thread, lease } = await inbox.call("threads.claim", { agent: "w" });
      await within(14, `the fault "${fault}"`, claiming);
      expect(proxy.heard.plain).toBe(1);
      expect(await stored(url, "select thread_id, lease_token from leases")).toEqual([
        { thread_id: 1, lease_token: lease!.token },
      ]);
      expect(thread!.threadId).toBe("thr_1");
      // The next claim tells this process who has created the thread, whatever became of the first.
      const next = await inbox.call("threads.claim", { agent: "w" });
      const ending = proxy.strike(fault);
      const { message } = await inbox.call("threads.done", {
        agent: "w",
        thread: next.thread!.threadId,
        body: "b",
      });
      await within(14, `the fault "${fault}"`, ending);
      expect(proxy.heard.plain).toBe(3);
      expect(
        await stored(url, "select 'msg_' || message_id as id from messages where kind = 'result'"),
      ).toEqual([{ id: message.messageId }]);
      expect(await flaws(url)).toEqual([]);
    }
  }, 60_000);
});
