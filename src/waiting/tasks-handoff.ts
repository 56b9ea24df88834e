/** [Q11] Waiting for one sub-agent, and taking its result out of the inbox. */
import { hand } from "../bus/hand-over/hand.ts";
import { lineOf } from "../bus/hand-over/next.ts";
import { resultOf } from "../bus/tasks/result.ts";
import type { OutputOf } from "../contract/operations/index.ts";
import type { Engine } from "../engines/engine.ts";
import { noteOnce } from "./begin-note.ts";
import type { AnswerWithReceipt, Calling } from "./handed.ts";
import { receiptOf } from "./take-mail.ts";
import { countdown, ended, wait } from "./wait.ts";

type Output = OutputOf<"tasks.handoff">;

interface Awaited {
  agent: string;
  name: string;
  /** [M13] The agent, if its name looked misspelled when the task was started. */
  unknown?: Output["unknown"];
  timeoutSeconds?: number;
}

export async function awaitResult(
  engine: Engine,
  { agent, name, unknown, timeoutSeconds }: Awaited,
  call: Calling,
): Promise<AnswerWithReceipt<Output>> {
  const { signal, handOver } = call;
  const beforeSleep = noteOnce(call, timeoutSeconds, async () => ({ unknown }));
  const left = countdown(timeoutSeconds);
  const look = async () => {
    const result = await engine.read((tx) => resultOf(tx, agent, name));
    return { found: result.finished ? result : undefined };
  };
  for (;;) {
    const result = await wait(engine, { mailOf: agent }, look, {
      timeoutMs: left(),
      signal,
      agent,
      beforeSleep,
    });
    const over = ended(signal) || left() === 0;
    if (!result) {
      if (!over) continue;
      const value: Output = {
        success: null,
        status: "running",
        terminalId: name,
        message: null,
        messages: [],
        ...(unknown && { unknown }),
      };
      return { value };
    }
    const ids = result.messages;
    const given = ids.length
      ? await engine.write((tx) => hand(tx, { agent, max: ids.length, ids }, { call: handOver }), {
          line: lineOf(agent),
        })
      : { messages: [], deliveryId: "" };
    const value: Output = {
      success: result.success,
      status: "finished",
      terminalId: name,
      message: given.messages.at(-1)?.message ?? null,
      messages: given.messages,
    };
    const taking = { agent, ack: "auto" } as const;
    return { value, receipt: receiptOf(taking, given) };
  }
}
