/**
 * Writes to a bus whose writes to disk are recorded, and prints a line for every message that it was told is written: its
 * text, and how long the record was by then. `bun writer-driver.ts DB RECORD SEED`. It opens and closes the bus now and then,
 * so that the log is copied back and deleted too.
 */
import { statSync } from "node:fs";
import { Inbox } from "../../../src/sdk/sdk.ts";
import { randomOf } from "../../support/random.ts";

const [db, record, seed] = process.argv.slice(2) as [string, string, string];
const random = randomOf(Number(seed));
let written = 0;

for (let session = 0; session < 3; session++) {
  const inbox = await Inbox.open(db, { agent: "writer", create: true });
  for (let burst = 0; burst < 6; burst++) {
    const together = Array.from({ length: 1 + Math.floor(random() * 4) }, async () => {
      const text = `${++written} of ${seed}`;
      // Long ones fill the log, so that it is copied back in between.
      const metadata = { filler: "x".repeat(random() < 0.1 ? 300_000 : Math.floor(random() * 3000)) };
      await inbox.messages.send({ channel: "topic", content: text, metadata });
      console.log(JSON.stringify({ text, at: statSync(record).size }));
    });
    await Promise.all(together);
  }
  await inbox.close();
}
