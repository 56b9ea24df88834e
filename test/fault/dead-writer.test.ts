/** A writer that dies after its commit and before it could wake anybody, and is hidden by others that did not. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Desk, desk } from "../support/cli.ts";
import { until } from "../support/until.ts";

const now = new Date().toISOString();

/** What a commit leaves that nobody was told of. */
function commit(db: string, summary: string): void {
  const direct = new Database(db);
  direct.run(
    `begin immediate;
     insert into messages (thread_id, from_agent, to_agent, kind, summary, created_at) values (1, 'lead', 'w', 'answer', '${summary}', '${now}');
     insert into events (thread_id, source, event_type, message_id, created_at) values (1, 'lead', 'message.sent', last_insert_rowid(), '${now}');
     commit`,
  );
  direct.close();
}

async function waiting(at: Desk) {
  for (const subject of ["waited on", "another"])
    await at.inbox("send", "--from", "lead", "--to", "w", "--subject", subject);
  const waiter = at.start("wait-reply", "thr_1", "--agent", "w", "--timeout-seconds", "30", "--json");
  const wake = join(at.path, ".agents/coord.db-wake");
  await until("the waiter waits", () => existsSync(join(wake, `here.w.${waiter.pid}`)));
  return { wake, answer: new Response(waiter.stdout).json() };
}

test("[W1] its write is noticed, although the next writer's touches look like its own", async () => {
  using at = await desk();
  const { wake, answer } = await waiting(at);
  // What a killed writer leaves: its announcement and its commit, but no touch and no end.
  appendFileSync(join(wake, "begun-1024"), ".");
  commit(at.db, "from the grave");
  // Others go on writing, properly, to somebody else.
  for (let i = 0; i < 5; i++) await at.inbox("reply", "thr_2", `noise ${i}`, "--from", "lead", "--to", "x");
  expect(await answer).toMatchObject({ woke: true, message: { summary: "from the grave" } });
});

test("[W1] a write by an earlier version, which touches other files and counts in them, is noticed", async () => {
  using at = await desk();
  const { wake, answer } = await waiting(at);
  for (const counter of ["begun", "ended"]) writeFileSync(join(wake, counter), "..");
  appendFileSync(join(wake, "begun"), ".");
  commit(at.db, "from before");
  for (const bucket of Array(64).keys()) writeFileSync(join(wake, bucket.toString(16).padStart(2, "0")), ".");
  appendFileSync(join(wake, "ended"), ".");
  expect(await answer).toMatchObject({ woke: true, message: { summary: "from before" } });
});
