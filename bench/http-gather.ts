/** Fifty workers answer one supervisor at the same moment: whether it gets all of them at once, and how late. */
import { served } from "../test/support/hub.ts";
import { bytesOf } from "../test/support/socket.ts";
import { median, most, ms } from "./support/figures.ts";
import { openLine, openLines } from "./support/line.ts";
import type { Benchmark, Section } from "./support/section.ts";

const workers = 50;
const rounds = 15;
const warmUp = 2;
/** What `wait` does unless told. */
const windowMs = 2000;

async function run(): Promise<Section> {
  await using hub = await served();
  const lines = await openLines(hub.url, workers);
  const supervisor = await openLine(hub.url);
  const wait = bytesOf("GET /terminals/main/inbox/messages/wait?timeout=30");
  const counts: number[] = [];
  const written: number[] = [];
  const late: number[] = [];
  for (let round = -warmUp; round < rounds; round++) {
    const answer = supervisor.ask(wait);
    await Bun.sleep(50); // it waits by then
    const started = performance.now();
    const sends = lines.map((line, i) =>
      line.ask(
        bytesOf("POST /terminals/main/inbox/messages", {
          sender_id: `worker-${i}`,
          message: "x".repeat(200),
        }),
      ),
    );
    await Promise.all(sends);
    const stored = performance.now() - started;
    const messages: { sender_id: string }[] = JSON.parse(await answer);
    const took = performance.now() - started;
    if (round < 0) continue;
    counts.push(new Set(messages.map((message) => message.sender_id)).size);
    written.push(stored);
    late.push(took - windowMs);
  }
  for (const line of [...lines, supervisor]) line.close();
  const row = (name: string, samples: readonly number[]) => [name, ms(median(samples)), ms(most(samples))];
  const whole = counts.filter((count) => count === workers).length;
  return {
    title: "Fifty answers at once",
    about:
      `${workers} workers, a connection each, send to one supervisor in the same moment; it waits in one long poll with the usual ` +
      `window of ${windowMs / 1000} s. ${rounds} rounds, counted from just before the first send.`,
    tables: [
      {
        head: ["", "p50", "worst"],
        rows: [
          row("all sends are answered", written),
          row("the supervisor has the answer, less the window", late),
        ],
      },
    ],
    aims: [
      {
        aim: "all 50 come in one answer",
        found: `in ${whole} of ${rounds} rounds`,
        met: whole === rounds,
      },
    ],
  };
}

export const httpGather: Benchmark = { name: "http-gather", run };
