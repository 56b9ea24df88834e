/**
 * A wait of any length at a hub, as a series of requests that are short enough for proxies. The loss of a hub does
 * not end it: what the lost answer may have handed over is released at the next hub that answers, and the wait
 * continues.
 */
import type { AnyOperation } from "../../contract/operation.ts";
import { patienceOf } from "../../contract/waiting.ts";
import { isUnreachable, type Sent, send, settleOnce, tell, unanswered, type Wire } from "./request.ts";

const sliceSeconds = 50;
/** A request that lasted at least this long was a wait, not a refusal. */
const begunMs = 500;
const pauseMs = 300;
/** A wait without a timeout ends if there is no hub for this long. */
const awayMs = 5 * 60_000;

type Input = Record<string, unknown>;

export async function patiently(
  wire: Wire,
  op: AnyOperation,
  asked: Input,
  signal?: AbortSignal,
): Promise<Sent> {
  const total = patienceOf(op, asked);
  if (total === null) return send(wire, op, asked, { signal });
  const deadline = total === undefined ? Number.POSITIVE_INFINITY : performance.now() + total * 1000;
  const { after, goesOn } = op.waits!;
  const over = op.waits!.over ?? ((value: unknown) => !op.nothing?.(value as never));
  let input = { ...asked };
  // A call that starts something, or counts from now on, is first sent without a wait; what that returns can be repeated.
  let anchored = !goesOn && (after === undefined || input[after] !== undefined);
  let begun = false;
  for (;;) {
    const left = Math.max(0, (deadline - performance.now()) / 1000);
    input.timeoutSeconds = anchored ? Math.min(left, sliceSeconds) : 0;
    const id = crypto.randomUUID();
    const started = performance.now();
    try {
      const sent = await send(wire, op, input, { signal, id });
      begun = true;
      // A hub that stops answers before the time is over.
      if (over(sent.value as never) || performance.now() >= deadline) return sent;
      if (sent.handOver) await tell(wire, "release", sent.handOver);
      input = next(op, input, sent.value);
      anchored = true;
    } catch (error) {
      begun ||= performance.now() - started > begunMs;
      if (!isUnreachable(error) || !begun || !anchored) throw error;
      const until = Math.min(deadline, performance.now() + awayMs);
      await untilBack(() => settleOnce(wire, "release", unanswered(op, input, id)), until, error, signal);
    }
  }
}

function next({ waits }: AnyOperation, input: Input, value: unknown): Input {
  const output = value as Input;
  if (waits!.goesOn) return waits!.goesOn(input, output as never);
  return waits!.after ? { ...input, [waits!.after]: output.nextEventId } : input;
}

/** Until a hub answers again, with anything; throws `error` if none does in time. */
async function untilBack(
  knock: () => Promise<void>,
  deadline: number,
  error: unknown,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await knock();
    } catch (found) {
      if (!isUnreachable(found)) return;
      if (performance.now() >= deadline) throw error;
    }
    await new Promise((done) =>
      setTimeout(done, Math.min(pauseMs, Math.max(0, deadline - performance.now()))),
    );
  }
}
