/** Takes all that is left once the faults are over, as calls of the history: what cannot be had is stuck. */
import { readHistory } from "../check/history.ts";
import { hiddenMs } from "../check/stuck.ts";
import type { Bed } from "./bed.ts";
import { desks, pool, sleepers } from "./names.ts";
import { type Caller, recorder } from "./recorder.ts";
import { clientOf } from "./surfaces.ts";

/** `patient`: also what is hidden because somebody asked for it and was never heard of again. */
export async function drain(bed: Bed, patient: boolean): Promise<void> {
  const record = recorder(bed.fileFor("drain"), "sdk", "drain");
  const caller: Caller = { name: "drain", client: clientOf("sdk", bed) };
  const call = (op: string, input: object) => record.call(caller, op, input, { audit: true });
  if (patient) await Bun.sleep(Math.max(0, hiddenMs - (Date.now() - lastAnswer(bed))));
  for (const agent of [...desks, ...sleepers])
    for (let left = true; left; ) {
      const { value } = await call("mailbox.receive", { agent, max: 100, timeoutSeconds: 0 });
      left = Boolean(value?.messages?.length);
    }
  await call("pools.join", { pool, agent: caller.name });
  for (let left = true; left; ) {
    const { value } = await call("threads.claim", { agent: caller.name });
    left = Boolean(value?.thread);
    const thread = value?.thread?.threadId;
    if (left) await call("threads.done", { agent: caller.name, thread, summary: `rest of ${thread}` });
  }
  await caller.client.close();
  record.close();
}

const lastAnswer = (bed: Bed) => Math.max(0, ...readHistory(bed.files).ops.map(({ told, at }) => told ?? at));
