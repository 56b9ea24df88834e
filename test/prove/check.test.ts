/** The checker of the attack: each kind of violation from the shortest history that shows it, and none where all is well. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/cli.ts";
import { explain, verdict } from "./check/checker.ts";
import { type Fields, historyOf, type Line, type Outcome, type Surface } from "./check/history.ts";

interface Step {
  op: string;
  input: Fields;
  value?: Fields;
  outcome?: Outcome;
  /** Seconds: called, told. */
  at: [number, number];
  by?: string;
  surface?: Surface;
  key?: string;
  audit?: true;
}

const start = Date.parse("2026-01-01T00:00:00.000Z");
const at = (seconds: number) => start + seconds * 1000;
const iso = (seconds: number) => new Date(at(seconds)).toISOString();

function linesOf(steps: readonly Step[]): Line[] {
  return steps.flatMap((step, index): Line[] => {
    const { op, input, value, outcome = "ok", by = "somebody", surface = "sdk", key, audit } = step;
    const id = `p-${index}`;
    return [
      { type: "call", id, by, surface, op, input, key, audit, at: at(step.at[0]) },
      { type: "told", id, at: at(step.at[1]), outcome, value },
    ];
  });
}

const kindsOf = (steps: readonly Step[]) => [
  ...new Set(verdict(historyOf(linesOf(steps))).map(({ kind }) => kind)),
];

const send = (id: number, text: string, from: number, more: Partial<Step> = {}): Step => ({
  op: "mailbox.send",
  input: { from: "a", to: "desk-0", message: text },
  value: { message: { messageId: `msg_${id}` } },
  at: [from, from + 0.1],
  surface: "mcp-http",
  ...more,
});
const post = (id: number, text: string, from: number): Step => ({
  op: "messages.send",
  input: { channel: "topic-0", content: text, sender: "a" },
  value: { id },
  at: [from, from + 0.1],
});
const receive = (ids: number[], from: number, more: Partial<Step> = {}): Step => ({
  op: "mailbox.receive",
  input: { agent: "desk-0", timeoutSeconds: 0 },
  value: { messages: ids.map((id) => ({ id, message: `m${id}`, redelivered: false })) },
  at: [from, from + 0.1],
  surface: "mcp-http",
  ...more,
});
/** What is in a channel at the end: number, text and status. */
const audit = (channel: string, ...messages: [number, string, string?][]): Step => ({
  op: "messages.inbox",
  input: { channel, afterId: 0, limit: 1000, includeAcked: true },
  value: {
    messages: messages.map(([id, content, status = "pending"]) => ({ id, content, status, kind: "event" })),
  },
  at: [90, 91],
  audit: true,
});
const claim = (agent: string, from: number, expires: number): Step => ({
  op: "threads.claim",
  input: { agent, leaseSeconds: 10 },
  value: { thread: { threadId: "thr_1" }, lease: { token: agent, expiresAt: iso(expires), attempt: 1 } },
  at: [from, from + 0.1],
  surface: "mcp-http",
});
const holder = (op: string, agent: string, from: number, more: Partial<Step> = {}): Step => ({
  op: `threads.${op}`,
  input: { agent, thread: "thr_1", summary: `${op} ${agent} ${from}` },
  value: { thread: { threadId: "thr_1" }, message: { messageId: `msg_${100 + from}` } },
  at: [from, from + 0.1],
  surface: "mcp-http",
  ...more,
});
const read = (input: Fields, ids: number[], from: number): Step => ({
  op: "messages.inbox",
  input: { channel: "topic-0", limit: 10, ...input },
  value: { messages: ids.map((id) => ({ id })) },
  at: [from, from + 0.1],
});
const watch = (after: number, next: number, ids: number[], more: Partial<Step> = {}): Step => ({
  op: "events.watch",
  input: { afterEvent: after, limit: 10 },
  value: {
    events: ids.map((eventId) => ({ eventId, eventType: "agent.joined", messageId: null })),
    nextEventId: next,
  },
  at: [5, 6],
  surface: "mcp-http",
  ...more,
});
const everyEvent = (...ids: number[]) => watch(0, ids.at(-1)!, ids, { audit: true, at: [95, 96] });
const push: Step = { op: "tasks.push", input: { agent: "boss", name: "t" }, at: [1, 2], surface: "mcp-http" };
const run: Step = { op: "tasks.run", input: { agent: "boss" }, at: [3, 4], surface: "mcp-http" };
const reports = (...ids: number[]): Step => ({
  ...audit("boss"),
  value: { messages: ids.map((id) => ({ id, content: "r", status: "acked", kind: "result", sender: "t" })) },
});

const drained = (agent: string, from: number): Step =>
  receive([], from, { input: { agent, timeoutSeconds: 0 }, audit: true });
const nothingToDo: Step = {
  op: "threads.claim",
  input: { agent: "drain" },
  value: { thread: null },
  at: [80, 81],
  audit: true,
  surface: "mcp-http",
};
const listed = (status: string): Step => ({
  op: "threads.list",
  input: {},
  value: { threads: [{ threadId: "thr_1", status, createdAt: iso(1) }] },
  at: [90, 91],
  audit: true,
  surface: "mcp-http",
});

const sound: Record<string, Step[]> = {
  "mail that is collected": [send(1, "m1", 1), receive([1], 2), audit("desk-0", [1, "m1", "acked"])],
  "a write that is not known": [send(1, "m1", 1, { outcome: "unknown", value: {} }), audit("desk-0")],
  "a redelivery to a plain client": [
    send(1, "m1", 1),
    receive([1], 2),
    receive([1], 4, { value: { messages: [{ id: 1, message: "m1", redelivered: true }] } }),
    audit("desk-0", [1, "m1", "acked"]),
  ],
  "a redelivery to somebody who acks by hand": [
    send(1, "m1", 1),
    receive([1], 2),
    receive([1], 4, {
      input: { agent: "desk-0", timeoutSeconds: 0, ack: "manual" },
      value: { messages: [{ id: 1, message: "m1", redelivered: true }] },
    }),
    {
      op: "messages.ack",
      input: { id: 1, agent: "desk-0" },
      value: { already: false },
      at: [5, 5.1],
      surface: "mcp-http",
    },
    audit("desk-0", [1, "m1", "acked"]),
  ],
  "an answer that was lost with its mail": [
    send(1, "m1", 1),
    receive([], 2, { outcome: "unknown", value: {} }),
    audit("desk-0", [1, "m1", "acked"]),
  ],
  "a lease that lapsed before another claim": [claim("a", 1, 11), claim("b", 12, 22)],
  "a lease that was given back": [claim("a", 1, 11), holder("release", "a", 2), claim("b", 3, 13)],
  "a repeated write with its key": [
    send(1, "m1", 1, { key: "k", outcome: "unknown", value: {} }),
    send(1, "m1", 2, { key: "k" }),
    audit("desk-0", [1, "m1"]),
  ],
  "readers and followers": [
    post(1, "p1", 1),
    post(2, "p2", 2),
    read({ afterId: 0 }, [1, 2], 3),
    read({ reader: "r", commit: true }, [1], 3),
    read({ reader: "r", commit: true }, [2], 4),
    watch(0, 3, [1, 2, 3]),
    audit("topic-0", [1, "p1"], [2, "p2"]),
    everyEvent(1, 2, 3),
  ],
  "a task": [push, run, reports(7)],
  "mail that may be on its way to somebody": [
    send(1, "m1", 1),
    receive([], 30, { outcome: "unknown", value: {} }),
    drained("desk-0", 80),
    audit("desk-0", [1, "m1"]),
  ],
  "mail that a stopped process had in hand": [
    send(1, "m1", 1),
    send(2, "m2", 1.5),
    receive([], 2, { at: [2, 8] }),
    receive([2], 3),
    receive([1], 9),
    audit("desk-0", [1, "m1", "acked"], [2, "m2", "acked"]),
  ],
  "a thread that somebody holds": [nothingToDo, listed("claimed")],
};

test.each(Object.entries(sound))("[S4] no violation: %s", (_, steps) => {
  expect(verdict(historyOf(linesOf(steps))).map(explain)).toEqual([]);
});

const broken: Record<string, Step[]> = {
  lost: [send(1, "m1", 1), audit("desk-0")],
  changed: [send(1, "m1", 1), audit("desk-0", [1, "other"])],
  "refused but written": [send(1, "m1", 1, { outcome: "refused", value: {} }), audit("desk-0", [1, "m1"])],
  "collected by nobody": [send(1, "m1", 1), audit("desk-0", [1, "m1", "acked"])],
  "written twice": [send(1, "m1", 1), audit("desk-0", [1, "m1"], [2, "m1"])],
  "key forgotten": [send(1, "m1", 1, { key: "k" }), send(2, "m1", 2, { key: "k" })],
  "collected twice": [send(1, "m1", 1), receive([1], 2), receive([1], 3)],
  overtaken: [send(1, "m1", 1), send(2, "m2", 2), receive([2], 3), receive([1], 4)],
  "out of order": [receive([2, 1], 3)],
  "numbered backwards": [send(2, "m2", 1), send(1, "m1", 2)],
  "two holders": [claim("a", 1, 11), claim("b", 3, 13)],
  "not fenced": [claim("a", 1, 2), claim("b", 3, 13), holder("update", "a", 4)],
  "ended twice": [claim("a", 1, 11), holder("done", "a", 2), holder("done", "a", 3)],
  "end undone": [claim("a", 1, 11), holder("done", "a", 2), listed("pending")],
  "failure undone": [claim("a", 1, 11), holder("fail", "a", 2), listed("done")],
  stuck: [send(1, "m1", 1), drained("desk-0", 80), audit("desk-0", [1, "m1"])],
  "stuck thread": [nothingToDo, listed("pending")],
  "skipped cursor": [
    post(1, "p1", 1),
    post(2, "p2", 1.05),
    read({ afterId: 0 }, [2], 1.08),
    audit("topic-0", [1, "p1"], [2, "p2"]),
  ],
  "reader went back": [
    post(1, "p1", 1),
    read({ reader: "r", commit: true }, [1], 3),
    read({ reader: "r", commit: true }, [1], 4),
    audit("topic-0", [1, "p1"]),
  ],
  "skipped event": [watch(0, 3, [1, 3]), everyEvent(1, 2, 3)],
  "stale read": [post(1, "p1", 1), read({ afterId: 0 }, [], 3)],
  "task not reported": [push, run, reports()],
  "task reported twice": [push, run, reports(7, 8)],
  "outside its schema": [
    { op: "threads.list", input: {}, value: { threads: [], hasMore: "no", nextEventId: 1 }, at: [1, 2] },
  ],
  "internal error": [
    { op: "threads.claim", input: {}, outcome: "refused", value: { error: "bug" }, at: [1, 2] },
  ],
  "late answer": [receive([], 1, { at: [1, 40] }), ...Array.from({ length: 20 }, (_, i) => receive([], i))],
  "slow wake": Array.from({ length: 20 }, (_, i) => [
    receive([i + 1], i, {
      input: { agent: "sleeper-0", timeoutSeconds: 3 },
      at: [i + 0.1, i + 0.99],
      value: { messages: [{ id: i + 1, message: `m${i + 1}` }] },
    }),
    send(i + 1, `m${i + 1}`, i + 0.2, { at: [i + 0.2, i + 0.25] }),
  ]).flat(),
};

/** Two histories that show one kind. */
const kinds: Record<string, string> = { "failure undone": "end undone", "stuck thread": "stuck" };

test.each(Object.entries(broken))("[S4] %s is found", (title, steps) => {
  const kind = kinds[title] ?? title;
  const lines = linesOf(steps).map((line) =>
    kind === "internal error" && line.type === "told" ? { ...line, code: "internal" } : line,
  );
  const found = verdict(historyOf(lines));
  expect(found.map((one) => one.kind)).toContain(kind);
  // And shown by calls of this history.
  expect(explain(found.find((one) => one.kind === kind)!)).toContain("p-");
});

test("[S4] a redelivery to a plain client is one only where something failed in between", () => {
  const again = { messages: [{ id: 1, message: "m1", redelivered: true }] };
  const lines = linesOf([
    send(1, "m1", 1),
    receive([1], 2, { surface: "rest" }),
    receive([1], 4, { surface: "rest", value: again }),
    audit("desk-0", [1, "m1", "acked"]),
  ]);
  const fault: Line = { type: "fault", nemesis: "break-lines", at: at(2.05), until: at(2.1) };
  const isFound = (found: readonly Line[]) =>
    verdict(historyOf(found)).some(({ kind }) => kind === "collected twice");
  expect([isFound(lines), isFound([...lines, fault])]).toEqual([true, false]);
});

test("[S4] after a fault nothing succeeds for long: slow recovery", () => {
  const quick = Array.from({ length: 20 }, (_, i) => receive([], i));
  const lines = linesOf([...quick, receive([], 100)]);
  const fault: Line = { type: "fault", nemesis: "kill-hub", at: at(21), until: at(22) };
  expect(verdict(historyOf([...lines, fault])).map(({ kind }) => kind)).toEqual(["slow recovery"]);
  expect(kindsOf(quick)).toEqual([]);
});

test("[S4] the checker knows nothing of the product", () => {
  const folder = join(import.meta.dir, "check");
  const imports = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(/from "([^"]+)"/g)].map(([, from]) => from!),
  );
  expect(imports.length).toBeGreaterThan(10);
  expect(imports.filter((from) => !/^(\.\/[\w-]+\.ts|node:\w+|ajv)$/.test(from))).toEqual([]);
});

test("[S4] every planted bug can be planted in today's sources", () => {
  const folder = join(import.meta.dir, "planted");
  const patches = readdirSync(folder).map((file) => join(folder, file));
  expect(patches.length).toBeGreaterThan(9);
  const stale = patches.filter(
    (patch) => Bun.spawnSync(["git", "apply", "--check", patch], { cwd: root }).exitCode !== 0,
  );
  expect(stale).toEqual([]);
});
