/** No cursor skips anything: neither a position that a reader keeps, nor one that the bus keeps, nor one in the events. */
import { eventsIn } from "./events.ts";
import { type Check, endOf, type Op, type Violation } from "./history.ts";
import { confirms, groupBy, type Stored, storedIn } from "./messages.ts";

const idsOf = (op: Op): number[] => (op.value.messages ?? []).map(({ id }: { id: number }) => id);
const isReading = (op: Op) => op.op === "messages.inbox" && !op.audit;

export const skippedByCursor: Check = (history) => {
  const channels = groupBy(storedIn(history), ({ channel }) => channel);
  return history.ops
    .filter((op) => isReading(op) && op.input.reader === undefined && op.outcome === "ok")
    .flatMap((op) => {
      const ids = idsOf(op);
      return skipped(op, op.input.afterId, ids, channels.get(op.input.channel) ?? []);
    });
};

/** What is there between the position that was read from and the last message that was shown, and was not shown. */
function skipped(op: Op, after: number, ids: readonly number[], channel: readonly Stored[]): Violation[] {
  const last = ids.at(-1);
  if (last === undefined) return [];
  const seen = new Set(ids);
  const missed = channel.find(({ id }) => id > after && id < last && !seen.has(id));
  if (!missed) return [];
  const text = `${op.by} read ${op.input.channel} from ${after} to ${last} and was not shown msg_${missed.id}`;
  return [{ kind: "skipped cursor", text, witness: [op, missed.op] }];
}

/**
 * A plain client has what was written to its connection. A hub that finds out late that an answer was written moves the
 * position then, also after the client, which never read that answer, has asked again.
 */
const lateMs = 10_000;

export const skippedByReader: Check = (history) => {
  const channels = groupBy(storedIn(history), ({ channel }) => channel);
  const readers = groupBy(
    history.ops.filter((op) => isReading(op) && op.input.reader !== undefined),
    ({ input }) => `${input.reader} of ${input.channel}`,
  );
  return [...readers.values()].flatMap((ops) => {
    const channel = channels.get(ops[0]!.input.channel) ?? [];
    const found: Violation[] = [];
    /** Undefined where an answer was lost: the position may have moved. */
    let position: number | undefined = 0;
    let before: Op | undefined;
    let lateUntil = 0;
    for (const op of ops) {
      const ids = idsOf(op);
      const first = ids[0];
      if (op.outcome === "ok" && first !== undefined) {
        if (position !== undefined) {
          for (const { text, ...rest } of skipped(op, position, ids, channel))
            found.push({ ...rest, text, witness: [...(before ? [before] : []), ...rest.witness] });
          // A plain client may be shown again what a fault kept from being committed.
          if (first <= position && before && confirms(before))
            found.push({
              kind: "reader went back",
              text: `${op.by} was shown msg_${first} again after its position was ${position}`,
              witness: [before, op],
            });
        }
        position = op.at < lateUntil ? undefined : ids.at(-1);
        before = op;
      } else if (op.outcome !== "ok") {
        position = undefined;
        if (!confirms(op)) lateUntil = (op.told ?? op.at) + lateMs;
      }
    }
    return found;
  });
};

export const skippedEvent: Check = (history) => {
  const events = eventsIn(history);
  if (!events.length) return [];
  return history.ops
    .filter((op) => op.op === "events.watch" && !op.audit && op.outcome === "ok")
    .flatMap((op): Violation[] => {
      const seen = new Set((op.value.events as { eventId: number }[]).map(({ eventId }) => eventId));
      const { nextEventId } = op.value;
      const missed = events.find(
        ({ event: { eventId } }) =>
          eventId > op.input.afterEvent && eventId <= nextEventId && !seen.has(eventId),
      );
      if (!missed) return [];
      const text = `${op.by} followed events from ${op.input.afterEvent} to ${nextEventId} and was not shown ${missed.event.eventId}`;
      return [{ kind: "skipped event", text, witness: [op, missed.op] }];
    });
};

/** What was acknowledged before a read began is in what was read, as far as it goes. */
export const staleRead: Check = (history) => {
  const written = history.ops.filter((op) => op.op === "messages.send" && op.outcome === "ok");
  const channels = groupBy(written, ({ input }) => input.channel as string);
  return history.ops
    .filter((op) => isReading(op) && op.input.reader === undefined && op.outcome === "ok")
    .flatMap((op): Violation[] => {
      const ids = idsOf(op);
      if (ids.length >= op.input.limit) return [];
      const seen = new Set(ids);
      const missed = channels
        .get(op.input.channel)
        ?.find(
          (write) => endOf(write) < op.at && write.value.id > op.input.afterId && !seen.has(write.value.id),
        );
      if (!missed) return [];
      const text = `${op.by} read ${op.input.channel} from ${op.input.afterId} after msg_${missed.value.id} was acknowledged, and was not shown it`;
      return [{ kind: "stale read", text, witness: [missed, op] }];
    });
};
