/** Reads everything at the end, when all faults are over, as calls of the history. */
import { type Fields, readHistory } from "../check/history.ts";
import type { Bed } from "./bed.ts";
import { desks, pool, sleepers, topics } from "./names.ts";
import { recorder } from "./recorder.ts";
import { clientOf } from "./surfaces.ts";

const page = 1000;

export async function audit(bed: Bed): Promise<void> {
  const record = recorder(bed.fileFor("audit"), "sdk", "audit");
  const client = clientOf("sdk", bed);
  const read = async (op: string, input: Fields) => {
    const { outcome, value, code } = await record.call({ name: "audit", client }, op, input, { audit: true });
    if (outcome !== "ok") throw new Error(`the audit failed: ${op} ${code} ${JSON.stringify(value)}`);
    return value!;
  };
  const parents = new Set(
    readHistory(bed.files).ops.flatMap(({ op, input }) =>
      op === "tasks.push" ? [input.agent as string] : [],
    ),
  );
  for (const channel of [...desks, ...sleepers, ...topics, pool, ...parents])
    for (let afterId = 0; ; ) {
      const { messages } = await read("messages.inbox", {
        channel,
        afterId,
        limit: page,
        includeAcked: true,
      });
      if (!messages.length) break;
      afterId = messages.at(-1).id;
    }
  for (let afterEvent = 0; ; ) {
    const { events, nextEventId } = await read("events.watch", {
      afterEvent,
      limit: page,
      timeoutSeconds: 0,
    });
    if (!events.length) break;
    afterEvent = nextEventId;
  }
  for (let before: string | undefined; ; ) {
    const { threads, hasMore } = await read("threads.list", { before, limit: 100 });
    before = threads.at(-1)?.threadId;
    if (!hasMore) break;
  }
  await client.close();
  record.close();
}
