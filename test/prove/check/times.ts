/** Waits end in time, wake-ups come at once, and everything goes on after a fault. */
import { type Check, disturbed, endOf, type History, type Op, type Violation } from "./history.ts";
import { collecting, groupBy, shownIn, writesIn } from "./messages.ts";

const graceMs = 10_000;
const recoveryMs = 30_000;
/** A lost wake-up costs up to a second, or until the next message: a quarter of them cannot need that long. */
const slowWakeMs = 250;
const most = 0.75;
const fewestWakes = 8;

/** How long calls take here that wait for nothing, from the quickest on: on a busy machine everything is slow. */
function plainTimes({ ops }: History): (part: number) => number {
  const times = ops
    .filter(({ input, told, audit }) => told !== undefined && !audit && !input.timeoutSeconds)
    .map((op) => endOf(op) - op.at)
    .sort((a, b) => a - b);
  return (part) => times[Math.floor(times.length * part)] ?? 0;
}
/** Slower than this is out of all proportion, whatever the machine does beside. */
const outOfProportion = (history: History) => 20 * plainTimes(history)(0.9);

export const internalError: Check = ({ ops }) =>
  ops
    .filter(({ code }) => code === "internal")
    .map((op) => ({ kind: "internal error", text: String(op.value.error), witness: [op] }));

export const lateAnswer: Check = (history) => {
  const grace = Math.max(graceMs, outOfProportion(history));
  return history.ops.flatMap((op): Violation[] => {
    const { timeoutSeconds = 0 } = op.input;
    const took = endOf(op) - op.at;
    if (op.told === undefined || took <= timeoutSeconds * 1000 + grace) return [];
    if (disturbed(history, op.at - graceMs, endOf(op))) return [];
    const text = `an answer that was due after ${timeoutSeconds} s came after ${(took / 1000).toFixed(1)} s`;
    return [{ kind: "late answer", text, witness: [op] }];
  });
};

/** How long mail took to reach somebody who was waiting for it, where nothing was broken. */
export function wakesIn(history: History): { ms: number; send: Op; receive: Op }[] {
  const sent = new Map(
    writesIn(history)
      .filter(({ op, id }) => op.op === "mailbox.send" && op.outcome === "ok" && id !== undefined)
      .map(({ op, id }) => [id!, op]),
  );
  return shownIn(history).flatMap(({ op, id }) => {
    const send = sent.get(id);
    const waited = collecting.has(op.op) && op.input.timeoutSeconds > 0 && op.outcome === "ok";
    // Where others receive too, their mail wakes it as well.
    if (!send || !waited || !op.input.agent.startsWith("sleeper")) return [];
    if (op.at > send.at - 50 || disturbed(history, op.at - 1000, endOf(op))) return [];
    return [{ ms: Math.max(0, endOf(op) - endOf(send)), send, receive: op }];
  });
}

export const slowWake: Check = (history) => {
  const wakes = wakesIn(history).toSorted((a, b) => a.ms - b.ms);
  const slow = wakes[Math.floor(wakes.length * most)];
  if (wakes.length < fewestWakes || slow!.ms < Math.max(slowWakeMs, 8 * plainTimes(history)(most))) return [];
  const text = `a quarter of ${wakes.length} waiting receivers were woken later than ${slow!.ms.toFixed(0)} ms after the message was acknowledged`;
  return [{ kind: "slow wake", text, witness: [slow!.send, slow!.receive] }];
};

/** For each fault how long after its end the first call succeeded that began after it. */
export function recoveriesIn({ ops, faults }: History): { nemesis: string; ms: number; first?: Op }[] {
  const good = ops.filter(({ outcome, audit }) => outcome === "ok" && !audit);
  return faults.map(({ nemesis, until }) => {
    const first = good.find(({ at }) => at >= until);
    return { nemesis, ms: first ? endOf(first) - until : 0, first };
  });
}

export const slowRecovery: Check = (history) => {
  const longest = Math.max(recoveryMs, outOfProportion(history));
  return [...groupBy(recoveriesIn(history), ({ nemesis }) => nemesis)].flatMap(
    ([nemesis, all]): Violation[] => {
      const worst = all.reduce((a, b) => (a.ms > b.ms ? a : b));
      if (worst.ms < longest) return [];
      const text = `after ${nemesis} was over nothing succeeded for ${(worst.ms / 1000).toFixed(1)} s`;
      return [{ kind: "slow recovery", text, witness: [worst.first!] }];
    },
  );
};
