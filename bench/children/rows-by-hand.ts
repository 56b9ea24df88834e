/**
 * `rows-by-hand.ts DB`: the same rows as the hub writes, durable and with a commit for all requests of a turn, and answers of the
 * same size, with nothing around them: no rule, no check, no waking. What a hub of one thread cannot exceed on this runtime and
 * this schema.
 */
import { Database } from "bun:sqlite";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";

const path = process.argv[2]!;
createDatabase(path);
const db = new Database(path, { readwrite: true, create: false, strict: true });
db.run(
  "pragma synchronous = full; pragma foreign_keys = on; pragma temp_store = memory; pragma wal_autocheckpoint = 4000",
);
const [begin, commit] = [db.query("begin immediate"), db.query("commit")];
const intoThreads = db.query(
  `insert into threads (run_id, task_id, subject, created_by, assigned_to, addressed_to, status, latest_message_id, created_at, updated_at)
   values ('default', 'task', ?, ?, ?, ?, 'pending', ?, ?, ?)`,
);
const intoMessages = db.query(
  `insert into messages (thread_id, from_agent, to_agent, kind, summary, body, payload_json, created_at, task_id)
   values (?, ?, ?, ?, ?, ?, '{}', ?, ?)`,
);
const intoEvents = db.query(
  `insert into events (run_id, task_id, thread_id, source, event_type, status, created_by, assigned_to, to_agent, message_id, summary, payload_json, created_at)
   values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
);

type Write = (now: string) => object;
let [lastMessage, lastThread] = [0, 0];

const message =
  ({ channel, content, sender }: Record<string, string>): Write =>
  (now) => {
    intoMessages.run(null, sender!, channel!, "event", content!, content!, now, null);
    const id = ++lastMessage;
    const payload = JSON.stringify({ kind: "event", to: channel });
    const none = [null, null, null] as const;
    intoEvents.run(...none, sender!, "message.sent", ...none, channel!, id, content!, payload, now);
    const absent = { correlationId: null, taskId: null, metadata: {}, ackedAt: null, expiresAt: null };
    const rest = { threadId: null, kind: "event", verified: false, recipient: "topic" };
    return { id, channel, sender, content, status: "pending", ...absent, createdAt: now, ...rest };
  };

const thread =
  ({ from, to, subject, body }: Record<string, string>): Write =>
  (now) => {
    const [id, number] = [++lastThread, ++lastMessage];
    intoThreads.run(subject!, from!, to!, to!, number, now, now);
    intoMessages.run(id, from!, to!, "task", subject!, body!, now, "task");
    const payload = JSON.stringify({ kind: "task", to });
    const of = ["default", "task", id] as const;
    intoEvents.run(
      ...of,
      from!,
      "thread.created",
      "pending",
      from!,
      to!,
      to!,
      number,
      subject!,
      payload,
      now,
    );
    const shared = { threadId: `thr_${id}`, from, to, createdAt: now };
    const state = { subject, status: "pending", priority: "normal", maxAttempts: 5, updatedAt: now };
    const sent = {
      messageId: `msg_${number}`,
      kind: "task",
      summary: subject,
      body,
      payload: {},
      reply: false,
    };
    return {
      thread: { ...shared, ...state, runId: "default", taskId: "task" },
      message: { ...shared, ...sent },
    };
  };

interface Waiting {
  write: Write;
  resolve(answer: object): void;
}
let queue: Waiting[] = [];

function flush(): void {
  const batch = queue;
  queue = [];
  const now = new Date().toISOString();
  begin.run();
  const answers = batch.map(({ write }) => write(now));
  commit.run();
  for (const [i, { resolve }] of batch.entries()) resolve(answers[i]!);
}

const written = (write: Write) =>
  new Promise<object>((resolve) => {
    if (queue.push({ write, resolve }) === 1) setImmediate(flush);
  });
const route = (of: (body: Record<string, string>) => Write) => ({
  POST: async (request: Request) =>
    Response.json(await written(of((await request.json()) as Record<string, string>)), { status: 201 }),
});
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  routes: { "/api/messages": route(message), "/api/threads": route(thread) },
});
process.send!(`http://127.0.0.1:${server.port}`);
