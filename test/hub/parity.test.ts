/** Every operation with a route answers over HTTP what it answers when called directly. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { asInboxError, errorTable } from "../../src/contract/errors.ts";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { inRequests } from "../../src/surfaces/spelling/rest.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type Fields, hubHere } from "../support/hub.ts";
import { requestOf, routes } from "../support/routes.ts";

const at = Date.parse("2030-01-01T00:00:00.000Z");
const [w, lead] = ["w", "lead"];
const task = { from: lead, to: w, subject: "s" };

/** Route and input, in an order in which most of them succeed. */
const entry = "0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11";
const round: [route: string, input: Fields][] = [
  [
    "POST /api/threads",
    { ...task, priority: "high", payload: { "Key One": 1 }, artifacts: [{ path: "/x" }] },
  ],
  ["POST /api/mailbox/:to/send", { from: lead, to: w, message: "hello" }],
  ["POST /api/mailbox/:to/ask", { from: w, to: lead, question: "which?", choices: ["a", "b"] }],
  ["GET /api/agents/:agent/threads", { agent: w, status: "pending,blocked", unread: false, limit: 10 }],
  ["POST /api/threads/:thread/claim", { agent: w, thread: "thr_1", leaseSeconds: 60 }],
  ["POST /api/threads/:thread/renew", { agent: w, thread: "thr_1" }],
  ["POST /api/threads/:thread/update", { agent: w, thread: "thr_1", status: "blocked", summary: "?" }],
  ["POST /api/threads/:thread/reply", { from: lead, thread: "thr_1", summary: "yes" }],
  ["POST /api/threads/:thread/wait-reply", { agent: w, thread: "thr_1", timeoutSeconds: 5 }],
  ["POST /api/threads/:thread/release", { agent: w, thread: "thr_1" }],
  ["POST /api/threads/claim", { agent: w }],
  ["POST /api/threads/:thread/claim", { agent: "other", thread: "thr_1" }],
  ["POST /api/threads/:thread/done", { agent: w, thread: "thr_1", summary: "ok" }],
  ["POST /api/threads/:thread/done", { agent: w, thread: "thr_1", summary: "not ok" }],
  ["POST /api/threads", task],
  ["POST /api/threads/claim", { agent: w, wait: true, timeoutSeconds: 5 }],
  ["POST /api/threads/:thread/fail", { agent: w, thread: "thr_2", summary: "no" }],
  ["POST /api/threads", task],
  ["POST /api/threads/:thread/reassign", { agent: lead, thread: "thr_3", to: "w2", reason: "r" }],
  ["POST /api/threads/:thread/cancel", { agent: lead, thread: "thr_3", reason: "r" }],
  ["POST /api/threads/claim", { agent: w }],
  ["GET /api/threads", { status: "done,failed", limit: 1 }],
  ["GET /api/threads/:thread", { thread: "thr_1" }],
  ["GET /api/threads/:thread", { thread: "thr_9" }],
  ["POST /api/threads/:thread/show", { thread: "thr_1", agent: lead, markRead: true }],
  ["GET /api/events/wait", { afterEvent: 0, timeoutSeconds: 5, limit: 3 }],
  ["POST /api/mailbox/:agent/receive", { agent: w, timeoutSeconds: 0 }],
  ["POST /api/mailbox/:agent/check", { agent: w }],
  ["POST /api/mailbox/:agent/wait", { agent: w, timeoutSeconds: 0 }],
  ["POST /api/mailbox/:to/send", { from: w, to: lead, message: "mine" }],
  ["GET /api/mailbox/:agent", { agent: lead }],
  ["POST /api/mailbox/:agent/gather", { agent: lead, from: [w], need: "any", timeoutSeconds: 0 }],
  ["POST /api/messages", { channel: "c", content: "one", sender: lead, correlationId: "k", metadata: {} }],
  ["POST /api/messages", { channel: "c", content: "two", sender: w, correlationId: "k", ttlSeconds: 60 }],
  ["POST /api/messages", { channel: "*", content: "all", sender: w }],
  ["GET /api/messages/inbox/:channel", { channel: "c", limit: 1 }],
  ["POST /api/messages/inbox/:channel/read", { channel: "c", reader: "r", commit: true }],
  ["GET /api/messages/inbox/:channel", { channel: "c", reader: "r" }],
  ["POST /api/messages/inbox/:channel/wait", { channel: "c", afterId: 1, timeoutSeconds: 0 }],
  ["GET /api/messages/replies/:correlationId", { correlationId: "k" }],
  ["GET /api/messages/:id", { id: 1 }],
  ["GET /api/messages/:id/content", { id: 1, offset: 1, length: 2 }],
  ["POST /api/messages/:id/ack", { id: 1, agent: w }],
  ["POST /api/messages/:id/ack", { id: 999, agent: w }],
  ["POST /api/messages/inbox/:channel/ack", { channel: "c", agent: w }],
  ["GET /api/messages/inbox/:channel/count", { channel: "c" }],
  ["GET /api/messages/inbox/:channel/readers", { channel: "c" }],
  ["GET /api/messages/inbox/:channel", { channel: "c", newest: true, includeAcked: true }],
  ["GET /api/messages/channels", { limit: 2 }],
  ["POST /api/messages/gc", { ackedOlderThanHours: 1 }],
  ["GET /api/dead-letters", { limit: 5 }],
  ["GET /api/dead-letters/:id", { id: 1 }],
  ["POST /api/dead-letters/requeue", { channel: "c", agent: lead }],
  ["POST /api/dead-letters/purge", { id: 1, agent: lead }],
  ["POST /api/pools/:pool/join", { pool: "p", agent: w }],
  ["POST /api/pools/:pool/leave", { pool: "p", agent: w }],
  ["GET /api/pools", {}],
  ["POST /api/pools/:pool/remove", { pool: "p", agent: lead }],
  ["GET /api/agents", {}],
  ["POST /api/tasks", { agent: lead, prompt: "do this", name: "one", worker: w, cwd: "/tmp" }],
  [
    "POST /api/tasks",
    { agent: lead, prompt: "then that", name: "two", worker: w, cwd: "/tmp", after: ["one"] },
  ],
  ["POST /api/tasks", { agent: lead, prompt: "again", name: "one", worker: w, cwd: "/tmp" }],
  ["POST /api/tasks", { agent: lead, prompt: "x", name: "three", profile: "nobody", cwd: "/tmp" }],
  ["POST /api/tasks/assign", { agent: lead, message: "at once", name: "four", worker: w, cwd: "/tmp" }],
  ["POST /api/tasks/handoff", { agent: lead, terminalId: "four", timeoutSeconds: 0 }],
  ["POST /api/tasks/handoff", { agent: lead }],
  ["GET /api/tasks", { agent: lead }],
  ["GET /api/tasks/:name", { name: "two" }],
  ["GET /api/tasks/:name", { name: "tow" }],
  ["GET /api/tasks/:name/log", { name: "four" }],
  ["POST /api/tasks/:name/move", { agent: lead, name: "two", to: 1 }],
  ["PATCH /api/tasks/:name", { agent: lead, name: "two", prompt: "something else", priority: "high" }],
  ["POST /api/tasks/run", { agent: lead, count: 1 }],
  ["POST /api/tasks/:name/kill", { agent: lead, name: "one" }],
  ["DELETE /api/tasks/:name", { agent: lead, name: "one" }],
  ["GET /api/tasks/:name/diff", { name: "four" }],
  ["POST /api/tasks/:name/merge", { agent: lead, name: "four" }],
  ["POST /api/tasks/:name/discard", { agent: lead, name: "four" }],
  ["POST /api/tasks/:name/send", { agent: lead, name: "nobody", message: "m" }],
  ["POST /api/tasks/permit", { agent: lead, toolName: "Bash" }],
  ["POST /api/tasks/report", { agent: lead, inputTokens: 5 }],
  ["POST /api/mailbox/decide", { from: w, to: ["third"], question: "which?", timeoutSeconds: 0 }],
  ["POST /api/messages/:question/answer", { from: lead, question: 1, choice: "a" }],
  ["GET /api/audit", { limit: 5 }],
  ["GET /api/profiles", {}],
  ["POST /api/workspaces", { path: "/tmp", label: "x", agent: w }],
  ["GET /api/workspaces", {}],
  ["PATCH /api/workspaces/:workspace", { workspace: "ws-unknown1", label: "y" }],
  ["POST /api/workspaces/:workspace/entries", { workspace: "ws-unknown1", comments: "look" }],
  ["DELETE /api/workspaces/:workspace", { workspace: "ws-unknown1" }],
  ["POST /api/inbox/import", { entries: [{ id: entry, ts: 1, comments: "look", sender: w }] }],
  ["GET /api/inbox/history", { limit: 5, unread: true }],
  ["GET /api/inbox/:id", { id: entry }],
  ["POST /api/inbox/:id/show", { id: entry, markRead: true }],
  ["PUT /api/inbox/:id/read", { id: entry }],
  ["DELETE /api/inbox/:id/read", { id: entry }],
  ["POST /api/inbox/:id/reply", { id: entry, message: "thanks" }],
  ["POST /api/inbox/:id/reply", { id: entry, choice: "none" }],
  ["PUT /api/inbox/:id/snooze", { id: entry, until: "2020-01-01T00:00:00Z" }],
  ["PUT /api/inbox/:id/snooze", { id: entry }],
  ["GET /api/inbox/counts", {}],
  ["DELETE /api/inbox/:id/snooze", { id: entry }],
  ["PUT /api/inbox/:id/archive", { id: entry }],
  ["GET /api/inbox/history", { folder: "archive", needsYou: false }],
  ["DELETE /api/inbox/:id/archive", { id: entry }],
  ["PUT /api/inbox/read", {}],
  ["PUT /api/inbox/:id/seen", { id: entry }],
  ["GET /api/inbox/:id/changes", { id: entry }],
  ["GET /api/notifications/key", {}],
  [
    "PUT /api/notifications",
    { endpoint: "https://push.example.com/x", p256dh: "A".repeat(87), auth: "A".repeat(22) },
  ],
  ["DELETE /api/notifications", { endpoint: "https://push.example.com/x" }],
  ["PUT /api/mutes", { name: w }],
  ["PUT /api/mutes", {}],
  ["GET /api/mutes", {}],
  ["DELETE /api/mutes", { name: w }],
  ["DELETE /api/inbox/:id", { id: entry }],
  ["GET /api/inbox/:id", { id: entry }],
  ["POST /api/inbox/:id/restore", { id: entry }],
  ["GET /api/inbox/export", { limit: 10 }],
  ["GET /api/search", { q: "look hello", kinds: "entries,messages" }],
  ["GET /api/search", { q: "look", limit: 3 }],
  ["POST /api/tokens", { agent: w, scope: "leader" }],
  ["GET /api/tokens", {}],
  ["POST /api/tokens/:id/revoke", { id: "tok_1" }],
  ["GET /api/retention", {}],
  ["PUT /api/retention/:kind", { kind: "mail", days: 0.5, count: 9, agent: lead }],
  ["POST /api/gc", { dryRun: true }],
  ["PUT /api/quotas", { name: w, messagesPerMinute: 0, agent: lead }],
  ["POST /api/messages", { channel: "c", content: "refused", sender: w }],
  ["GET /api/quotas", {}],
  ["PUT /api/costs", { usd: 20.5, tokens: 5_000_000, agent: lead }],
  ["GET /api/costs", { days: 7 }],
  ["GET /api/stats", {}],
];

/** What is drawn by chance, or says through what a call came, made equal. */
const settled = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value, (key, inner) =>
      (key === "token" || key === "workspaceId" || key === "surface" || String(inner).startsWith("ask-")) &&
      typeof inner === "string"
        ? "drawn"
        : inner,
    ),
  );

/** The same input for a direct call: lists and numbers are what a query's text says. */
function direct(op: AnyOperation, input: Fields): Fields {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      key,
      (key === "status" || key === "kinds") && op.kind === "read" ? String(value).split(",") : value,
    ]),
  );
}

test("[C1] [C4] every operation answers over HTTP as it does directly, error for error", async () => {
  await using hub = await hubHere({ now: () => at, supervise: false });
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path);
  const inbox = openInbox(path, { now: () => at, supervised: true });
  try {
    for (const [route, input] of round) {
      const { op } = routes.find((one) => one.route === route)!;
      let expected: unknown;
      let status: number | undefined;
      try {
        expected = await inbox.call(op.name as never, direct(op, input) as never);
      } catch (error) {
        const { code, ...rest } = asInboxError(error).shape(inRequests);
        expected = { ok: false, error: { code, ...rest } };
        status = errorTable[code].http;
      }
      const answer = await hub.ask(...requestOf(route, input));
      expect([route, settled(answer.json)]).toEqual([route, settled(expected)]);
      expect(answer.status === 201 ? 200 : answer.status).toBe(status ?? 200);
    }
  } finally {
    await inbox.close();
  }
  expect(new Set(round.map(([route]) => route))).toEqual(new Set(routes.map(({ route }) => route)));
});
