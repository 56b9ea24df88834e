/**
 * Ten workers and a leader at one hub, who go on whatever happens to it: what failed for lack of a database is tried
 * again, under the same key. `bun partition-driver.ts URL SIDE PAUSE-MS`. It runs where the hub is and is spoken to in lines of JSON: in
 * come questions to the hub, and at last the words "enough" (send no more) and "leave"; out go their answers, and a line for
 * everything that somebody was told is done.
 */
import { InboxError } from "../../src/contract/errors.ts";
import { connect } from "../../src/surfaces/client/client.ts";
import { ask } from "../support/hub.ts";
import type { Told, Word } from "./partition-record.ts";

const [url, side, pause] = process.argv.slice(2) as [string, string, string];
const inbox = connect(url);
const leader = `leader-${side}`;
const workers = Array.from({ length: 10 }, (_, i) => `worker-${side}${i}`);
/** Each is read by workers at both hubs. */
const desks = ["desk-0", "desk-1", "desk-2"];
/** Between two things that a leader sends, and before what failed is tried again. */
const pauseMs = Number(pause);

let sending = true;
let working = true;
let written = 0;
const unique = (who: string, what: string) => `${what} ${++written} of ${who}`;
const say = (line: Told) => void process.stdout.write(`${JSON.stringify(line)}\n`);

const isAway = (error: unknown): error is InboxError =>
  error instanceof InboxError && (error.code === "storage" || error.code === "busy");

/** What the work answers, or undefined where the hub says that it cannot now. */
async function attempt<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
  const started = performance.now();
  try {
    return await work();
  } catch (error) {
    if (!isAway(error)) throw error;
    say({ op: "away", what, ms: performance.now() - started, message: error.message });
    await Bun.sleep(pauseMs);
    return undefined;
  }
}

/** For work that answers something, and may be done again: it carries a key, or changes nothing the second time. */
async function insist<T>(what: string, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const value = await attempt(what, work);
    if (value !== undefined) return value;
  }
}

async function lead(): Promise<void> {
  while (sending) {
    const subject = unique(leader, "work");
    const input = { from: leader, to: "crew", subject, maxAttempts: 1000 };
    const sent = await insist("send", () => inbox.call("threads.send", input, { idempotencyKey: subject }));
    say({ op: "message", id: sent.message.messageId, summary: subject });
    const text = unique(leader, "mail");
    const mail = { from: leader, to: desks[written % desks.length]!, message: text };
    const { message } = await insist("send mail", () =>
      inbox.call("mailbox.send", mail, { idempotencyKey: text }),
    );
    say({ op: "message", id: message.messageId, summary: text });
    await Bun.sleep(pauseMs);
  }
}

/** Takes mail for `agent`, in the name of one of several who do. */
async function read(agent: string, reader: string): Promise<void> {
  while (working) {
    const handed = await attempt("receive", () =>
      inbox.hand("mailbox.receive", { agent, max: 3, timeoutSeconds: 2 }),
    );
    const messages = handed?.value.messages ?? [];
    if (!handed?.confirm || !messages.length) continue;
    if (!(await collected(handed.confirm))) continue;
    for (const { id } of messages) say({ op: "collected", id: `msg_${id}`, reader });
    for (const { kind, threadId } of messages) if (kind === "question") await answer(threadId!);
  }
}

/** Whether the hub said so. It may also say that the time for it is over, and the messages are another's. */
async function collected(confirm: () => Promise<void>): Promise<boolean> {
  try {
    return await insist("confirm", async () => {
      await confirm();
      return true;
    });
  } catch (error) {
    if (error instanceof InboxError && error.code === "conflict") return false;
    throw error;
  }
}

async function answer(thread: string): Promise<void> {
  const summary = unique(leader, "answer");
  try {
    const { message } = await insist("reply", () =>
      inbox.call("threads.reply", { from: leader, thread, summary }, { idempotencyKey: summary }),
    );
    say({ op: "message", id: message.messageId, summary });
  } catch (error) {
    // Its asker could not wait so long, and another one has done it.
    if (!(error instanceof InboxError && error.code === "invalid_state")) throw error;
  }
}

async function work(agent: string): Promise<void> {
  await insist("join", () => inbox.call("pools.join", { agent, pool: "crew" }));
  for (let turn = 0; working; turn++) {
    // Short leases run out behind a cut, so that somebody at the other hub takes over.
    const leaseSeconds = turn % 3 === 0 ? 4 : 900;
    const claimed = await attempt("claim", () =>
      inbox.call("threads.claim", { agent, leaseSeconds, wait: true, timeoutSeconds: 2 }),
    );
    if (!claimed) await takeUpWhatIsMine(agent);
    else if (claimed.thread) await finish(agent, claimed.thread.threadId, turn);
  }
}

/** A claim that failed may have been granted. */
async function takeUpWhatIsMine(agent: string): Promise<void> {
  const status = ["claimed", "in_progress", "blocked"] as const;
  const { threads } = await insist("list", () =>
    inbox.call("threads.list", { assignedTo: agent, status: [...status] }),
  );
  for (const { threadId } of threads) {
    await insist("claim", () =>
      inbox.call("threads.claim", { agent, thread: threadId }).catch((error) => {
        if (!isAway(error)) return { lost: true };
        throw error;
      }),
    );
    await finish(agent, threadId, 0);
  }
}

async function finish(agent: string, thread: string, turn: number): Promise<void> {
  try {
    const asks = turn % 5 === 4;
    const status = asks ? "blocked" : "in_progress";
    const progress = unique(agent, asks ? "question" : "progress");
    const updated = await insist("update", () =>
      inbox.call(
        "threads.update",
        { agent, thread, status, summary: progress },
        { idempotencyKey: progress },
      ),
    );
    say({ op: "message", id: updated.message.messageId, summary: progress });
    if (asks)
      await attempt("wait-reply", () =>
        inbox.call("threads.waitReply", { agent, thread, timeoutSeconds: 3 }),
      );
    const summary = unique(agent, "result");
    const ended = await insist("done", () =>
      inbox.call("threads.done", { agent, thread, summary }, { idempotencyKey: summary }),
    );
    say({ op: "message", id: ended.message.messageId, summary });
    say({ op: "end", thread, status: "done" });
  } catch (error) {
    // Too late: another one has taken over, and may have ended it.
    const late = ["lease_lost", "lease_conflict", "invalid_state"];
    if (!(error instanceof InboxError && late.includes(error.code))) throw error;
    say({ op: "late", thread });
  }
}

async function listen(): Promise<void> {
  let rest = "";
  for await (const chunk of Bun.stdin.stream().pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    for (const line of lines) hear(JSON.parse(line));
    if (!working) return;
  }
  process.exit(1); // whoever started this is gone
}

function hear(word: Word): void {
  if (word === "enough") sending = false;
  else if (word === "leave") working = false;
  else void put(word);
}

async function put({ number, route, body }: Exclude<Word, string>): Promise<void> {
  const started = performance.now();
  const { status, text } = await ask(url)(route, body).catch((error) => ({ status: 0, text: String(error) }));
  say({ op: "answer", number, status, text, ms: performance.now() - started });
}

await Promise.all([
  listen(),
  lead(),
  read(leader, leader),
  ...workers.map(work),
  ...workers.map((worker, i) => read(desks[i % desks.length]!, worker)),
]);
say({ op: "left" });
process.exit(0);
