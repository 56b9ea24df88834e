/** When all is over, what is still there can be had: mail by whoever asks for it, a thread by whoever claims. */
import { type Check, endOf, type Op, type Violation } from "./history.ts";
import { collecting, groupBy, shownIn, storedIn, writesIn } from "./messages.ts";

/** Whoever asked and never said that it has the mail keeps it from others for this long, and a little more. */
export const hiddenMs = 65_000;

/** An emptying that found nothing more, by what was emptied. */
const emptied = (ops: readonly Op[], op: string, key: (op: Op) => string) =>
  new Map(
    ops.filter((one) => one.audit && one.op === op && one.outcome === "ok").map((one) => [key(one), one]),
  );

export const stuckMail: Check = (history) => {
  const ends = emptied(history.ops, "mailbox.receive", ({ input }) => input.agent as string);
  const shown = new Set(shownIn(history).map(({ id }) => id));
  const byHand = history.ops.filter(({ op, input }) => op === "mailbox.receive" && input.ack === "manual");
  const handed = new Set(
    byHand.flatMap(({ value }) => (value.messages ?? []).map(({ id }: { id: number }) => id)),
  );
  const written = new Map(
    writesIn(history).flatMap(({ op, id }) =>
      op.op === "mailbox.send" && id !== undefined ? [[id, op] as const] : [],
    ),
  );
  const asked = groupBy(
    history.ops.filter((op) => collecting.has(op.op) && !op.audit && op.outcome !== "ok"),
    ({ input }) => input.agent as string,
  );
  return storedIn(history).flatMap((one): Violation[] => {
    const [sent, end] = [written.get(one.id), ends.get(one.channel)];
    if (one.status !== "pending" || !sent || !end || shown.has(one.id) || handed.has(one.id)) return [];
    const mayBeOnItsWay = asked.get(one.channel)?.some((op) => lastMoment(op) + hiddenMs > end.at);
    if (mayBeOnItsWay || endOf(sent) > end.at) return [];
    const text = `msg_${one.id} waits in ${one.channel}, and whoever asked for mail there was told that there is none`;
    return [{ kind: "stuck", text, witness: [sent, end, one.op] }];
  });
};

/** Where no answer came, the call may have reached the bus a moment after its client had gone. */
const lastMoment = (op: Op) => op.told ?? op.at + 5000;

export const stuckThread: Check = ({ ops }) => {
  const end = emptied(ops, "threads.claim", ({ op }) => op).get("threads.claim");
  if (!end || end.value.thread != null) return [];
  return ops
    .filter((op) => op.audit && op.op === "threads.list" && op.at > end.at)
    .flatMap((op) =>
      op.value.threads
        .filter(
          ({ status, createdAt }: { status: string; createdAt: string }) =>
            status === "pending" && Date.parse(createdAt) < end.at,
        )
        .map(
          ({ threadId }: { threadId: string }): Violation => ({
            kind: "stuck",
            text: `${threadId} is free, and whoever claimed was told that there is nothing to do`,
            witness: [end, op],
          }),
        ),
    );
};
