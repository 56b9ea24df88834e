/**
 * [U14] Which sub-agents wait for an answer, and whose. Questions to the person are in its inbox. Whether a tool may be used
 * may also be asked of the parent: that is on record, and the bus keeps no other list of what is open.
 */
import { type Entry, person } from "../../src/contract/entry.ts";
import { api } from "./api.ts";
import { useAsked } from "./asked.ts";
import { store, useStore } from "./store.ts";
import { queue, type Task } from "./tasks.ts";

export interface Wait {
  /** Who is to answer. */
  for: string;
  /** The question, where it is the person's. */
  entry?: Entry;
}

interface Open {
  number: number;
  question: string;
  to: string;
}

/** As far as the record of a task has been read, and what it waits for there. */
const known = new Map<string, { after: number; open?: Open }>();

/** Each asks at most twice: more would be a burden on the hub, and nobody looks at as many. */
const askedAtOnce = 50;

async function openQuestionOf({ id, name, createdAt }: Task): Promise<Open | undefined> {
  const record = known.get(id) ?? { after: 0 };
  known.set(id, record);
  for (const one of (await api.audit.list({ agent: name, after: record.after })).records) {
    record.after = one.number;
    if (one.at < createdAt) continue; // an earlier task of its name
    if (one.action === "asked" && one.to !== null && one.to !== person)
      record.open = { number: one.number, question: one.question, to: one.to };
    else if (one.question === record.open?.question) record.open = undefined;
  }
  if (!record.open) return undefined;
  const { question, to, number } = record.open;
  const { records } = await api.audit.list({ agent: to, after: number });
  if (records.some((one) => one.question === question)) record.open = undefined;
  return record.open;
}

const ofOthers = store<ReadonlyMap<string, string>>({
  async fetch() {
    const asking = (queue.value.peek()?.running ?? []).filter(
      ({ permission, parent }) => permission === "ask" && parent !== person,
    );
    const found = await Promise.all(
      asking.slice(0, askedAtOnce).map(async (task) => [task.name, await openQuestionOf(task)] as const),
    );
    return new Map(found.flatMap(([name, open]) => (open ? [[name, open.to]] : [])));
  },
  changedBy: ({ eventType, payload }) =>
    eventType === "message.sent" && (payload.kind === "question" || payload.kind === "answer"),
  everyMs: 300,
});

/** By the name of whoever waits. */
export function useWaits(): ReadonlyMap<string, Wait> {
  const asked = useAsked();
  const running = queue.value.value?.running;
  const others = useStore(ofOthers, running?.map(({ id, status }) => `${id} ${status}`).join()).value;
  const all = new Map<string, Wait>();
  for (const [name, to] of others ?? [])
    if (running?.some((task) => task.name === name)) all.set(name, { for: to });
  for (const [name, entry] of asked ?? []) all.set(name, { for: person, entry });
  return all;
}

export const waitingFor = ({ for: who }: Wait) => (who === person ? "waiting for you" : `waiting for ${who}`);
