/** A message is collected by one receiver, oldest first, and comes again only where it was not. */
import { type Check, disturbed, endOf, type History, type Op, type Violation } from "./history.ts";
import { collecting, confirms, groupBy, type Shown, shownIn, writesIn } from "./messages.ts";

/**
 * What a consumer was told is its own. A plain HTTP or MCP client does not confirm: where something fails it may be shown a
 * message that another gets too, and whoever got it second was told that it is a redelivery.
 */
export const collectedTwice: Check = (history) => {
  const again = redeliveredByHand(history);
  const acked = history.ops
    .filter(({ op, outcome, value }) => op === "messages.ack" && outcome === "ok" && value.already === false)
    .map((op): Shown => {
      const { id } = op.input;
      return { op, id, text: "", redelivered: again.has(`${op.by} ${id}`) };
    });
  const mine = [...shownIn(history).filter(({ op }) => op.outcome === "ok"), ...acked];
  return [...groupBy(mine, ({ id }) => id).values()].flatMap((group): Violation[] => {
    const [first, ...later] = group.toSorted((a, b) => endOf(a.op) - endOf(b.op)) as [Shown, ...Shown[]];
    const second = later.find(
      (one) =>
        (confirms(first.op) && confirms(one.op)) ||
        !(first.redelivered || one.redelivered) ||
        isUndisturbed(history, first.op, one.op),
    );
    if (!second) return [];
    const text = `msg_${first.id} was collected by ${first.op.by} and by ${second.op.by}, and both were told so`;
    return [{ kind: "collected twice", text, witness: [first.op, second.op] }];
  });
};

/** Less than any mail that was handed out is kept from others. */
const hiddenMs = 30_000;

/**
 * Whether nothing failed from when the first began to ask until the other one had it: then there was nothing to deliver again. Mail
 * that is acked by hand comes again by itself, and so does what the end of an MCP session leaves unread.
 */
function isUndisturbed(history: History, first: Op, other: Op): boolean {
  const end = endOf(other);
  const isPlain = (op: Op) => collecting.has(op.op) && !op.surface.startsWith("mcp-");
  return isPlain(first) && isPlain(other) && end - first.at < hiddenMs && !disturbed(history, first.at, end);
}

/** Who acks by hand was told with the message whether somebody may have had it before. */
function redeliveredByHand({ ops }: History): Set<string> {
  const found = new Set<string>();
  for (const op of ops) {
    if (op.op !== "mailbox.receive" || op.input.ack !== "manual") continue;
    for (const { id, redelivered } of op.value.messages ?? []) if (redelivered) found.add(`${op.by} ${id}`);
  }
  return found;
}

/**
 * Of a call that took this much longer than it wanted to wait, whoever served it was stopped in the middle: it may have had the
 * mail in hand for a while, and has given it back.
 */
const stalledMs = 1000;
const stalled = (op: Op) => endOf(op) - op.at > (op.input.timeoutSeconds ?? 0) * 1000 + stalledMs;

/** The older one of two messages is handed out first, where both were there and nobody had it. */
export const overtaken: Check = (history) => {
  const written = new Map(
    writesIn(history)
      .filter(({ op, id }) => op.op === "mailbox.send" && op.outcome === "ok" && id !== undefined)
      .map((one) => [one.id!, one]),
  );
  const collects = history.ops.filter((op) => collecting.has(op.op));
  const shown = collects.flatMap((op) =>
    (op.value.messages ?? []).map((message: { id: number; redelivered?: boolean }) => ({ op, ...message })),
  ) as { op: Op; id: number; redelivered?: boolean }[];
  return [...groupBy(shown, ({ op }) => op.input.agent as string)].flatMap(([desk, all]) => {
    const unsure = collects.filter(
      (op) =>
        op.input.agent === desk &&
        (op.outcome === "unknown" || (op.outcome === "refused" && op.code === "conflict") || stalled(op)),
    );
    const firsts = [...groupBy(all, ({ id }) => id).values()].map((group) =>
      group.reduce((a, b) => (a.op.at <= b.op.at ? a : b)),
    );
    const ordered = all.filter(
      ({ op }) => op.outcome === "ok" && op.op !== "mailbox.gather" && !op.input.lifo,
    );
    return firsts.flatMap((late): Violation[] => {
      const sent = written.get(late.id)?.op;
      if (!sent || late.redelivered) return [];
      const before = ordered.find(
        ({ op, id, redelivered }) =>
          id > late.id && !redelivered && op.at > endOf(sent) && endOf(op) < late.op.at,
      );
      if (!before || unsure.some((op) => op.at < late.op.at && endOf(op) > sent.at)) return [];
      const text = `msg_${late.id} waited in ${desk} while msg_${before.id} was handed out`;
      return [{ kind: "overtaken", text, witness: [sent, before.op, late.op] }];
    });
  });
};

/** Every answer has its messages in order. */
export const outOfOrder: Check = ({ ops }) =>
  ops.flatMap((op): Violation[] => {
    if (op.input.lifo || (!collecting.has(op.op) && op.op !== "messages.inbox")) return [];
    const ids: number[] = (op.value.messages ?? []).map(({ id }: { id: number }) => id);
    const wrong = ids.findIndex((id, index) => index > 0 && id <= ids[index - 1]!);
    if (wrong < 0) return [];
    return [
      { kind: "out of order", text: `msg_${ids[wrong]} comes after msg_${ids[wrong - 1]}`, witness: [op] },
    ];
  });

/** Numbers follow time: what was written after another write was acknowledged has the greater number. */
export const numberedBackwards: Check = (history) => {
  const writes = writesIn(history).filter(({ op, id }) => op.outcome === "ok" && id !== undefined);
  // A repeated call with a key answers with the first one's number.
  const began = new Map<string, number>();
  for (const { op } of writesIn(history))
    if (op.key !== undefined) began.set(op.key, Math.min(began.get(op.key) ?? op.at, op.at));
  const startOf = (op: Op) => (op.key === undefined ? op.at : began.get(op.key)!);
  const starts = writes.toSorted((a, b) => startOf(a.op) - startOf(b.op));
  const ends = writes.toSorted((a, b) => endOf(a.op) - endOf(b.op));
  let newest: (typeof writes)[number] | undefined;
  let next = 0;
  return starts.flatMap((one): Violation[] => {
    for (; next < ends.length && endOf(ends[next]!.op) < startOf(one.op); next++)
      if (!newest || ends[next]!.id! > newest.id!) newest = ends[next];
    if (!newest || newest.id! <= one.id!) return [];
    const text = `msg_${one.id} was written after msg_${newest.id} was acknowledged`;
    return [{ kind: "numbered backwards", text, witness: [newest.op, one.op] }];
  });
};
