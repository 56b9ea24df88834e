/**
 * A worker to be killed: works on the bus as fast as it can and prints one line for every write it was told
 * is done. `bun kill-driver.ts DB AGENT SEED`. It ends by itself only if something goes wrong.
 */
import { writeSync } from "node:fs";
import { InboxError } from "../../src/contract/errors.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { randomOf } from "../support/random.ts";
import type { Acknowledged } from "./kill-record.ts";

const [path, agent, seed] = process.argv.slice(2) as [string, string, string];
const random = randomOf(Number(seed));
const inbox = openInbox(path);
let written = 0;
/** Found again in the database, to tell whether what was acknowledged is there, and once. */
const nonce = () => `${agent}-${seed}-${written++}`;

/** At once and in one write, so that what was printed is exactly what was acknowledged before the kill. */
const acknowledge = (line: Acknowledged) => void writeSync(1, `${JSON.stringify(line)}\n`);

await takeUpWhatIsMine();
for (;;) await (random() < 0.4 ? sendSome() : workOnOne());

/** [L5] What the killed one before held is mine: it had my name. */
async function takeUpWhatIsMine(): Promise<void> {
  const held = await inbox.call("threads.list", {
    assignedTo: agent,
    status: ["claimed", "in_progress", "blocked"],
  });
  for (const { threadId } of held.threads) await workOnOne(threadId);
}

/** Several at once share a transaction: a kill must not take a part of it. */
async function sendSome(): Promise<void> {
  const some = Array.from({ length: 1 + Math.floor(random() * 4) }, async () => {
    const summary = nonce();
    const { message } = await inbox.call("threads.send", { from: agent, to: "crew", subject: "s", summary });
    acknowledge({ op: "message", id: message.messageId, summary });
  });
  await Promise.all(some);
}

async function workOnOne(named?: string): Promise<void> {
  // Short leases run out under a killed holder, so that others take over; long ones its successor claims anew.
  const leaseSeconds = random() < 0.3 ? 1 : 900;
  const claimed = await inbox.call("threads.claim", { agent, thread: named, leaseSeconds }).catch((error) => {
    // Since it was listed as mine its lease ran out, and another has taken it over, or ended it too.
    const gone = error instanceof InboxError && ["lease_conflict", "invalid_state"].includes(error.code);
    if (named === undefined || !gone) throw error;
  });
  if (!claimed) return;
  if (!claimed.thread) return sendSome();
  const thread = claimed.thread.threadId;
  acknowledge({ op: "claim", agent, thread, expiresAt: claimed.lease!.expiresAt });
  try {
    for (let step = random() * 3; step > 1; step--) {
      const status = random() < 0.5 ? "blocked" : "in_progress";
      const summary = nonce();
      const { message } = await inbox.call("threads.update", { agent, thread, status, summary });
      acknowledge({ op: "message", id: message.messageId, summary });
    }
    const summary = nonce();
    const ended = random() < 0.8 ? "threads.done" : "threads.fail";
    const { message } = await inbox.call(ended, { agent, thread, summary });
    acknowledge({ op: "message", id: message.messageId, summary });
    acknowledge({ op: "end", thread, status: ended === "threads.done" ? "done" : "failed" });
  } catch (error) {
    // Too slow: the lease ran out and another took over. Everything else is a fault.
    if (!(error instanceof InboxError && error.code === "lease_lost")) throw error;
  }
}
