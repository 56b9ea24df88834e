/** A thread has one holder at a time, whoever was replaced is fenced, and a thread ends once. */
import { eventsIn } from "./events.ts";
import { type Check, endOf, type Op, type Violation } from "./history.ts";
import { groupBy } from "./messages.ts";

/** The engine's clock and ours are the same machine's, but not read at the same moment. */
const slackMs = 100;

const ofThreads = new Set([
  "threads.claim",
  "threads.renew",
  "threads.update",
  "threads.done",
  "threads.fail",
  "threads.release",
]);
const threadOf = (op: Op): string | undefined => op.input.thread ?? op.value.thread?.threadId;
const isClaim = (op: Op) => op.op === "threads.claim" && op.outcome === "ok" && op.value.lease != null;
const mayHaveHappened = (op: Op) => op.outcome !== "refused";
/** By the operation that ends it, what a thread is then. */
const endings = new Map([
  ["threads.done", "done"],
  ["threads.fail", "failed"],
]);
const isEnding = ({ op }: Op) => endings.has(op) || op === "threads.release";
/** Answered from what was written before. */
const isRepeat = ({ value }: Op) => value.deduplicated === true || value.already === true;

function byThread(ops: readonly Op[]): Map<string | undefined, Op[]> {
  return groupBy(
    ops.filter((op) => ofThreads.has(op.op) && threadOf(op) !== undefined),
    threadOf,
  );
}

export const twoHolders: Check = ({ ops }) =>
  [...byThread(ops).values()].flatMap((all) => {
    const claims = all.filter(isClaim);
    return claims.flatMap((first): Violation[] => {
      const { agent } = first.input;
      const own = all.filter((op) => op.input.agent === agent && op.at >= first.at);
      const second = claims.find((op) => op.input.agent !== agent && op.at > endOf(first));
      if (!second || own.some((op) => isEnding(op) && mayHaveHappened(op) && op.at < endOf(second)))
        return [];
      const lapses = own
        .filter((op) => op.op !== "threads.update" && mayHaveHappened(op) && op.at < endOf(second))
        .map((op) => Date.parse(op.value.lease?.expiresAt ?? "") || op.at);
      if (endOf(second) + slackMs >= Math.min(...lapses)) return [];
      const text = `${threadOf(first)} was held by ${agent} until ${new Date(Math.min(...lapses)).toISOString()}, and ${second.input.agent} got it before that`;
      return [{ kind: "two holders", text, witness: [first, second] }];
    });
  });

export const notFenced: Check = ({ ops }) =>
  [...byThread(ops).values()].flatMap((all) => {
    const claims = all.filter(isClaim);
    return all.flatMap((write): Violation[] => {
      const { agent } = write.input;
      if (write.op === "threads.claim" || write.outcome !== "ok" || isRepeat(write)) return [];
      const taken = claims.findLast((op) => op.input.agent !== agent && endOf(op) < write.at);
      if (!taken) return [];
      const mayHoldAgain = all.some(
        (op) =>
          mayHaveHappened(op) &&
          op.at < endOf(write) &&
          endOf(op) > taken.at &&
          ((op.op === "threads.claim" && op.input.agent === agent) ||
            (isEnding(op) && op.input.agent === taken.input.agent)),
      );
      if (mayHoldAgain) return [];
      const text = `${agent} wrote to ${threadOf(write)} after ${taken.input.agent} had taken it over`;
      const own = claims.findLast((op) => op.input.agent === agent && op.at < taken.at);
      return [{ kind: "not fenced", text, witness: [...(own ? [own] : []), taken, write] }];
    });
  });

const ends = new Set(["thread.done", "thread.failed", "thread.cancelled"]);

export const endedTwice: Check = (history) => {
  const told = [...byThread(history.ops).values()].flatMap((all): Violation[] => {
    const [first, second] = all.filter((op) => endings.has(op.op) && op.outcome === "ok" && !isRepeat(op));
    if (!first || !second) return [];
    const text = `${threadOf(first)} was ended by ${first.input.agent} and by ${second.input.agent}`;
    return [{ kind: "ended twice", text, witness: [first, second] }];
  });
  const happened = eventsIn(history).filter(({ event }) => ends.has(event.eventType));
  const twice = [...groupBy(happened, ({ event }) => event.threadId)].flatMap(([thread, all]): Violation[] =>
    all.length < 2
      ? []
      : [
          {
            kind: "ended twice",
            text: `${thread} ended at event ${all[0]!.event.eventId} and ${all[1]!.event.eventId}`,
            witness: [...new Set(all.map(({ op }) => op))],
          },
        ],
  );
  return [...told, ...twice];
};

/** What was told as ended has ended. */
export const endUndone: Check = ({ ops }) => {
  const listed = ops.filter((op) => op.audit && op.op === "threads.list");
  const statuses = new Map(
    listed.flatMap((op) =>
      op.value.threads.map((thread: { threadId: string; status: string }) => [
        thread.threadId,
        { op, status: thread.status },
      ]),
    ) as [string, { op: Op; status: string }][],
  );
  return ops.flatMap((op): Violation[] => {
    const end = endings.get(op.op);
    if (!end || op.outcome !== "ok" || !statuses.size) return [];
    const found = statuses.get(op.input.thread);
    if (found?.status === end) return [];
    const text = `${op.input.thread} was acknowledged as ${end} and is ${found?.status ?? "gone"}`;
    return [{ kind: "end undone", text, witness: [op, found?.op ?? listed[0]!] }];
  });
};
