/**
 * One waiter: says when it has each message in hand, on the clock all processes share.
 * `waiter.ts DB THREAD signal` waits as wait-reply does; `… poll` looks every 100 ms.
 */
import { Database } from "bun:sqlite";
import { openInbox } from "../../src/inbox/inbox.ts";
import { sharedNow } from "../support/clock.ts";

const [db, thread, way] = process.argv.slice(2) as [string, string, "signal" | "poll"];
const tell = (message: string, at: number) => process.send!({ message, at });

if (way === "signal") await bySignal();
else await byPolling();

async function bySignal(): Promise<void> {
  const inbox = openInbox(db, { alone: true });
  tell("ready", 0);
  let afterMessage: string | undefined;
  for (;;) {
    const handed = await inbox.hand("threads.waitReply", { thread, agent: "leader", afterMessage });
    const at = sharedNow();
    await handed.confirm?.();
    for (const message of handed.value.messages) {
      afterMessage = message.messageId;
      tell(message.summary, at);
    }
  }
}

async function byPolling(): Promise<void> {
  const connection = new Database(db);
  const number = Number(thread.slice(4));
  const look = connection.query<{ message_id: number; summary: string }, [number, number]>(
    "select message_id, summary from messages where thread_id = ? and message_id > ? and kind = 'answer'",
  );
  let after = 0;
  tell("ready", 0);
  for (;;) {
    const rows = look.all(number, after);
    const at = sharedNow();
    for (const row of rows) {
      after = row.message_id;
      tell(row.summary, at);
    }
    await Bun.sleep(100);
  }
}
