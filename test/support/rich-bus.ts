/** A bus with something of everything in it, and a round of commands that touches all of it. */
import { keepKey } from "../../src/bus/notification.ts";
import { findTask } from "../../src/bus/task.ts";
import { recordUsage } from "../../src/bus/usage.ts";
import { planWorktree } from "../../src/bus/worktree.ts";
import { InboxError } from "../../src/contract/errors.ts";
import type { InputOf } from "../../src/contract/operations/index.ts";
import { createBus, openEngine } from "../../src/engines/registry.ts";
import { type BusOperation, type EmbeddedInbox, openInbox } from "../../src/inbox/inbox.ts";
import { run } from "../../src/sql/procedure.ts";
import { sql } from "../../src/sql/sql.ts";
import { until } from "./until.ts";

const start = Date.parse("2026-03-01T12:00:00.000Z");

/** A clock that stands still until it is moved. */
export function stoppedClock(at = start) {
  let time = at;
  return { now: () => time, pass: (seconds: number) => (time += seconds * 1000), at: () => time };
}

export interface Rich {
  /** When the last of it happened. */
  at: number;
  heldToken: string;
  lostToken: string;
  token: string;
  revoked: string;
  cursor: number;
}

export async function fillRichly(location: string): Promise<Rich> {
  await createBus(location);
  const clock = stoppedClock();
  const inbox = openInbox(location, { now: clock.now });
  const call: EmbeddedInbox["call"] = inbox.call;
  const send = async (subject: string, more: Partial<InputOf<"threads.send">> = {}) =>
    (await call("threads.send", { from: "lead", to: "w", subject, ...more })).thread.threadId;
  const claim = async (agent: string, thread: string, leaseSeconds = 900) =>
    (await call("threads.claim", { agent, thread, leaseSeconds })).lease!.token;

  // Threads in every status, with leases held, released, lapsed, and lost to another.
  await send("pending", { priority: "high", artifacts: [{ path: "/a" }, { path: "/b", kind: "log" }] });
  const heldToken = await claim("w", await send("held"), 7 * 86_400);
  const working = await send("in progress", { payload: { "Key One": [1, null, "ü\n\u2028"] } });
  await claim("w", working, 7 * 86_400);
  await call("threads.update", { agent: "w", thread: working, artifacts: [{ path: "/c" }] });
  const blocked = await send("blocked", { priority: "low", run: "r", task: "T" });
  await claim("w", blocked);
  await call("threads.update", { agent: "w", thread: blocked, status: "blocked", summary: "which?" });
  await call("threads.reply", { from: "lead", thread: blocked, body: "that" });
  for (const end of ["threads.done", "threads.fail"] as const) {
    const thread = await send(end);
    await claim("w", thread);
    await call(end, { agent: "w", thread, body: "as told" });
    await call("threads.show", { agent: "lead", thread, markRead: true });
  }
  await call("threads.cancel", { agent: "lead", thread: await send("cancelled"), reason: "no" });
  const released = await send("released");
  await claim("v", released);
  await call("threads.release", { agent: "v", thread: released });
  const lost = await send("lost to another");
  const lostToken = await claim("w", lost, 1);
  const lapsed = await send("lapsed");
  await claim("w", lapsed, 1);
  clock.pass(5);
  await claim("v", lost, 7 * 86_400);
  await call("pools.join", { agent: "v", pool: "crew" });
  await send("for the pool", { to: "crew", summary: "日本 🚀 \\ ' \" $1 %s" });

  // Channels: a reader that goes on, one whose next message gc has deleted, an expired message with the greatest number.
  const post = async (channel: string, content: string, more: Partial<InputOf<"messages.send">> = {}) =>
    (await call("messages.send", { channel, content, sender: "ci", ...more })).id;
  const builds: number[] = [];
  for (const content of ["one", "two", "three", "four"]) builds.push(await post("builds", content));
  for (const reader of ["old", "new"])
    await call("messages.inbox", {
      channel: "builds",
      reader,
      commit: true,
      limit: reader === "old" ? 1 : 3,
    });
  await call("messages.ack", { id: builds[1]!, agent: "ci" });
  clock.pass(7200);
  await call("messages.gc", { ackedOlderThanHours: 1 });

  await call("mutes.add", { name: "chatty" });
  // Limits, and quotas with something used of one.
  await call("retention.set", { kind: "events", days: 900, agent: "lead" });
  await call("costs.set", { usd: 1000, tokens: 1_000_000_000, agent: "lead" });
  await call("quotas.set", { name: "counted", messagesPerMinute: 1000, agent: "lead" });
  await post("counts", "one", { sender: "counted" });
  await post("requests", "ping", { correlationId: "c1" });
  await post("answers", "pong", { correlationId: "c1", taskId: "T", metadata: { n: 1 } });

  // Mail: collected, dead, in somebody's hands; a write that has a key; tokens; what a broker has yet to carry.
  await post("poisoned", "poison");
  for (let i = 0; i < 6; i++) {
    await call("mailbox.check", { agent: "poisoned", ack: "manual" });
    if (i < 5) clock.pass(61);
  }
  await call("mailbox.send", { from: "lead", to: "reader", message: "for you" });
  await call("mailbox.receive", { agent: "reader" });
  await call("mailbox.send", { from: "lead", to: "reader", message: "in your hands" });
  await call("mailbox.check", { agent: "reader", ack: "manual" });
  await call(...keyed);
  const { workspace } = await call("workspaces.add", {
    path: "/on/another/machine",
    label: "Macro thesis",
    agent: "writer",
  });
  const docs = [{ path: "report.md" }];
  await call("entries.push", { workspace: workspace.workspaceId, docs, comments: "please look" });
  // A document that the person has read.
  const here = await call("workspaces.add", { path: import.meta.dir, label: "Here", agent: "reader" });
  const shown = await call("entries.push", {
    workspace: here.workspace.workspaceId,
    docs: [{ path: "folder.ts" }],
  });
  await call("entries.seen", { id: shown.id });
  await inbox.engine.write((tx) => keepKey(tx, { public_key: "public", private_key: "{}" }));
  await call("notifications.add", {
    endpoint: "https://push.example.com/x",
    p256dh: "A".repeat(87),
    auth: "A".repeat(22),
  });
  // The person's inbox: a question with choices that was answered, one deleted and not yet erased, one that is gone.
  const asking = await send("ask the person", { from: "user" });
  await claim("w", asking, 7 * 86_400);
  const payload = { choices: ["yes", "no"] };
  await call("threads.update", {
    agent: "w",
    thread: asking,
    status: "blocked",
    summary: "really?",
    payload,
  });
  const newestEntry = async () => (await call("entries.history", { limit: 1 })).entries[0]!.id;
  await call("entries.reply", { id: await newestEntry(), choice: "yes" });
  await call("mailbox.send", { from: "w", to: "user", message: "thrown away" });
  await call("entries.delete", { id: await newestEntry(), atOnce: true });
  await call("mailbox.send", { from: "w", to: "user", message: "about to go" });
  await call("entries.delete", { id: await newestEntry() });
  const { token } = await call("tokens.create", { agent: "w", scope: "worker" });
  const { token: revoked, tokenId } = await call("tokens.create", { agent: "v", scope: "admin" });
  await call("tokens.revoke", { id: tokenId });
  const aside = { agent: "lead", worker: "v", cwd: "/tmp" };
  await call("tasks.push", { ...aside, name: "first", prompt: "do this" });
  await call("tasks.push", { ...aside, name: "second", prompt: "and then that", after: ["first"] });
  await call("tasks.push", { ...aside, agent: "w", name: "third", prompt: "never mind" });
  await call("tasks.remove", { agent: "w", name: "third" });
  await call("tasks.run", { agent: "x", count: 2 });
  await call("mailbox.ask", { from: "w", to: "lead", question: "Which one?", choices: ["a", "b"] });
  await inbox.engine.write(function* () {
    const { task_number } = yield* findTask("first");
    yield* planWorktree(task_number, {
      repository: "/repo",
      prefix: "",
      base: "0".repeat(40),
      into_branch: "main",
    });
  });
  await inbox.engine.write(function* (tx) {
    const used = { inputTokens: 100, cachedTokens: 5, outputTokens: 7, costUsd: 0.25, turns: 1 };
    yield* recordUsage(tx, yield* findTask("first"), "m", { used, session: { id: "s", used } });
  });
  await post("builds", "soon over", { ttlSeconds: 1 });
  const newest = await call("mailbox.send", { from: "lead", to: "reader", message: "x".repeat(9000) });
  await post("builds", "the last, and gone", { ttlSeconds: 1 });
  clock.pass(2);
  await call("messages.gc", {});
  const cursor = (await call("events.watch", { afterEvent: 0, limit: 1000 })).nextEventId;
  await inbox.close();

  const engine = openEngine(location);
  const carried = Number(newest.message.messageId.slice(4));
  await engine.write(() => run(sql`insert into outbox (message_id, agent_id) values (${carried}, 'reader')`));
  await engine.close();
  return { at: clock.at(), heldToken, lostToken, token, revoked, cursor };
}

export const keyed: ["threads.send", InputOf<"threads.send">, { idempotencyKey: string }] = [
  "threads.send",
  { from: "lead", to: "w", subject: "only once" },
  { idempotencyKey: "k1" },
];

/** What secrets are made of is random, and how well words match is each engine's own; everything else is not. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === "token" || key === "score" ? typeof inner : withoutSecrets(inner),
    ]),
  );
}

/** Goes on with everything that was begun, and tells all answers. Two buses that are the same give the same. */
export async function goOn(location: string, rich: Rich): Promise<[string, unknown][]> {
  const clock = stoppedClock(rich.at);
  const inbox = openInbox(location, { now: clock.now });
  const answers: [string, unknown][] = [];
  async function ask<N extends BusOperation>(name: N, input: InputOf<N>, options = {}): Promise<void> {
    const answer = await inbox
      .call(name, input, options)
      .catch((error) => (error instanceof InboxError ? error.shape() : Promise.reject(error)));
    answers.push([`${name} ${JSON.stringify(input)}`, withoutSecrets(answer)]);
  }
  try {
    await ask("threads.list", { limit: 200 });
    for (let i = 1; i <= 12; i++) await ask("threads.show", { thread: `thr_${i}` });
    await ask(...keyed);
    await ask("threads.send", { ...keyed[1], subject: "other input" }, keyed[2]);
    answers.push(["owner", [await inbox.owner(rich.token), await inbox.owner(rich.revoked)]]);
    await ask("tokens.list", {});
    await ask("agents.list", {});
    await ask("tasks.queue", { all: true });
    await ask("tasks.edit", { agent: "lead", name: "first", after: ["second"] });
    await ask("deadLetters.list", {});
    await ask("messages.replies", { correlationId: "c1" });
    await ask("messages.inbox", { channel: "builds", reader: "new", commit: true });
    await ask("messages.inbox", { channel: "builds", reader: "old" });
    await ask("threads.fetch", { agent: "lead", unread: true });
    await ask("mailbox.check", { agent: "reader" });
    clock.pass(61);
    await ask("mailbox.check", { agent: "reader" });
    await ask("threads.update", { agent: "w", thread: "thr_9", leaseToken: rich.lostToken });
    await ask("threads.done", {
      agent: "w",
      thread: "thr_2",
      leaseToken: rich.heldToken,
      body: "done there",
    });
    await ask("threads.claim", { agent: "x", thread: "thr_10" });
    await ask("threads.claim", { agent: "x", thread: "thr_3" });
    await ask("threads.claim", { agent: "v" });
    await ask("deadLetters.requeue", { channel: "poisoned", agent: "operator" });
    // New ones of every kind that has a number, after the greatest of some were deleted.
    await ask("messages.send", { channel: "builds", content: "next", sender: "ci" });
    await ask("threads.send", { from: "lead", to: "w", subject: "next", artifacts: [{ path: "/n" }] });
    await ask("tokens.create", { agent: "n", scope: "user" });
    await ask("events.watch", { afterEvent: rich.cursor, limit: 1000 });
    await ask("entries.history", {});
    // A search answers after half a second, whatever the disk has taken by then.
    await until("all words can be found", async () => (await inbox.call("search.find", { q: "x" })).complete);
    await ask("search.find", { q: "really" });
    await ask("search.find", { q: "thrown" });
    return answers;
  } finally {
    await inbox.close();
  }
}
