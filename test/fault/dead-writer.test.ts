/** A writer that dies after its commit and before it could wake anybody, and is hidden by others that did not. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { desk } from "../support/cli.ts";
import { until } from "../support/until.ts";

test("[W1] its write is noticed, although the next writer's touches look like its own", async () => {
  using at = await desk();
  for (const subject of ["waited on", "another"])
    await at.inbox("send", "--from", "lead", "--to", "w", "--subject", subject);
  const waiter = at.start("wait-reply", "thr_1", "--agent", "w", "--timeout-seconds", "30", "--json");
  const wake = join(at.path, ".agents/coord.db-wake");
  await until("the waiter waits", () => existsSync(join(wake, `here.w.${waiter.pid}`)));
  // What a killed writer leaves: its announcement and its commit, but no touch and no end.
  appendFileSync(join(wake, "begun"), ".");
  const db = new Database(at.db);
  const now = new Date().toISOString();
  db.run(
    `begin immediate;
     insert into messages (thread_id, from_agent, to_agent, kind, summary, created_at) values (1, 'lead', 'w', 'answer', 'from the grave', '${now}');
     insert into events (thread_id, source, event_type, message_id, created_at) values (1, 'lead', 'message.sent', last_insert_rowid(), '${now}');
     commit`,
  );
  db.close();
  // Others go on writing, properly, to somebody else.
  for (let i = 0; i < 5; i++) await at.inbox("reply", "thr_2", `noise ${i}`, "--from", "lead", "--to", "x");
  const answer = JSON.parse(await new Response(waiter.stdout).text());
  expect(answer).toMatchObject({ woke: true, message: { summary: "from the grave" } });
});
