/** Nothing that was acknowledged is lost, nothing that was refused is there, and nothing is collected by nobody. */
import { eventsIn } from "./events.ts";
import { type Check, endOf, type History, type Op, type Violation } from "./history.ts";
import { collecting, groupBy, type Stored, shownIn, storedIn, type Written, writesIn } from "./messages.ts";

export const lost: Check = (history) => {
  const stored = storedIn(history);
  const byId = new Map(stored.map((one) => [one.id, one]));
  const audits = new Map(history.ops.filter((op) => op.audit).map((op) => [op.input.channel as string, op]));
  const told = new Map(
    eventsIn(history).flatMap(({ op, event }) =>
      event.messageId === null
        ? []
        : [[Number(event.messageId.slice(4)), { op, text: event.summary }] as const],
    ),
  );
  return writesIn(history).flatMap((written): Violation[] => {
    const { op, id, text, channel } = written;
    if (op.outcome !== "ok") return [];
    const reading = audits.get(channel);
    const found = reading ? byId.get(id!) : told.get(id!);
    if (!reading && !told.size) return [];
    if (found?.text === text) return [];
    const witness = [op, found?.op ?? reading ?? audits.values().next().value!];
    return [
      found
        ? { kind: "changed", text: `msg_${id} was written as "${text}" and is "${found.text}"`, witness }
        : { kind: "lost", text: `msg_${id} ("${text}") was acknowledged and is not there`, witness },
    ];
  });
};

/** A write that was refused changed nothing. */
export const refusedButWritten: Check = (history) => {
  const writes = groupBy(writesIn(history), ({ text }) => text);
  return storedIn(history).flatMap((one): Violation[] => {
    const tried = writes.get(one.text) ?? [];
    if (!tried.length || tried.some(({ op }) => op.outcome !== "refused")) return [];
    const text = `"${one.text}" was refused and is there as msg_${one.id}`;
    return [{ kind: "refused but written", text, witness: [...tried.map(({ op }) => op), one.op] }];
  });
};

/** What is acked was shown to somebody, unless an answer that may have had it got lost. */
export const collectedByNobody: Check = (history) => {
  const shown = new Set(shownIn(history).map(({ id }) => id));
  const writes = new Map(writesIn(history).map((written) => [written.text, written]));
  const acks = groupBy(
    history.ops.filter(({ op }) => op === "messages.ack"),
    ({ input }) => input.id as number,
  );
  const unheard = groupBy(history.ops.filter(mayHaveTaken), ({ input }) => input.agent as string);
  return storedIn(history).flatMap((one): Violation[] => {
    const written = writes.get(one.text);
    if (one.status !== "acked" || shown.has(one.id) || !isMail(written)) return [];
    if (acks.get(one.id)?.some(({ outcome }) => outcome !== "refused")) return [];
    if (unheard.get(one.channel)?.some((op) => written.op.at <= lateEnd(op))) return [];
    const text = `msg_${one.id} ("${one.text}") is acked, and nobody was shown it`;
    return [{ kind: "collected by nobody", text, witness: [written.op, one.op] }];
  });
};

const isMail = (written: Written | undefined): written is Written => written?.op.op === "mailbox.send";

/**
 * A call whose answer nobody got; a conflict says that a part was collected all the same. A command collects what it has
 * printed and nothing else, however it ends.
 */
const mayHaveTaken = (op: Op) =>
  collecting.has(op.op) &&
  ((op.outcome === "unknown" && !op.surface.startsWith("cli")) ||
    (op.outcome === "refused" && op.code === "conflict"));

/** A hub may look at a request a moment after its client has gone. */
const lateEnd = (op: Op) => endOf(op) + 5000;

/** Every write has a text of its own, so a text that is there twice was written twice. */
export const writtenTwice: Check = (history) => {
  const writes = groupBy(writesIn(history), ({ text }) => text);
  const groups = groupBy(storedIn(history), ({ channel, text }) => `${channel}: ${text}`);
  return [...groups.values()].flatMap((group): Violation[] => {
    const ids = new Set(group.map(({ id }) => id));
    const tried = writes.get(group[0]!.text) ?? [];
    if (ids.size < 2 || !tried.length) return [];
    const witness = [...tried.map(({ op }) => op), ...new Set(group.map(({ op }) => op))];
    return [{ kind: "written twice", text: `"${group[0]!.text}" is there as ${namesOf(group)}`, witness }];
  });
};

const namesOf = (group: readonly Stored[]) => [...new Set(group.map(({ id }) => `msg_${id}`))].join(" and ");

/** The same key from the same sender is the same write. */
export const keyForgotten: Check = (history: History) => {
  const keyed = writesIn(history).filter(({ op, id }) => op.key !== undefined && op.outcome === "ok" && id);
  return [...groupBy(keyed, ({ op }) => op.key!).values()].flatMap((group): Violation[] => {
    const other = group.find(({ id }) => id !== group[0]!.id);
    if (!other) return [];
    const text = `the key "${other.op.key}" got msg_${group[0]!.id} and msg_${other.id}`;
    return [{ kind: "key forgotten", text, witness: [group[0]!.op, other.op] }];
  });
};
