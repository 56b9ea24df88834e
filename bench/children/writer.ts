/**
 * One process that writes without a pause: `writer.ts WAY DB MS`.
 *   inbox    threads.send, as a program of ours does it
 *   retry    one insert a transaction, waiting for the lock as src/engines/sqlite/lock.ts does
 *   handler  the same insert, waiting in SQLite's own busy handler
 * Warms up on a database of its own, says so, is told when to start, and tells its waits (milliseconds) and
 * how many writes were refused.
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { whenFree } from "../../src/engines/sqlite/lock.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { sharedNow } from "../support/clock.ts";

const [way, shared, forMs] = process.argv.slice(2) as ["inbox" | "retry" | "handler", string, string];
const warmUp = 300;

const ways = {
  inbox(db: string) {
    const inbox = openInbox(db);
    return () => inbox.call("threads.send", { from: "leader", to: "worker", subject: "Add the routes" });
  },
  retry(db: string) {
    const insert = inserter(db, 0);
    return () => whenFree(insert);
  },
  handler(db: string) {
    const insert = inserter(db, 5000);
    return async () => insert();
  },
};

/** Prepared once, so that nothing but the lock and the disk is measured. */
function inserter(db: string, timeoutMs: number): () => void {
  const connection = new Database(db);
  connection.run(`pragma busy_timeout = ${timeoutMs}; pragma synchronous = full`);
  const insert = connection.query(
    "insert into agents (name, first_seen_at, last_seen_at) values (?, '', '')",
  );
  let count = 0;
  return () => {
    connection.run("begin immediate");
    insert.run(`${process.pid} ${count++}`);
    connection.run("commit");
  };
}

{
  using folder = temporaryFolder();
  const own = join(folder.path, "own.db");
  createDatabase(own);
  const write = ways[way](own);
  for (let i = 0; i < warmUp; i++) await write();
}

const write = ways[way](shared);
process.send!("ready");
const start = await new Promise<number>((told) => process.once("message", told));
await Bun.sleep(start - sharedNow());
const waits: number[] = [];
let refused = 0;
for (let now = sharedNow(); now < start + Number(forMs); ) {
  try {
    await write();
  } catch {
    refused++;
  }
  const after = sharedNow();
  waits.push(after - now);
  now = after;
}
process.send!({ waits, refused });
process.disconnect!();
