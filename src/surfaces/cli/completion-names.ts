/** [C8] Names on the bus, for completion. */
import type { Field } from "../../contract/fields.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import type { Inbox } from "../../inbox/inbox.ts";

export const nameKinds = ["agents", "threads", "tasks", "topics"] as const;
export type NameKind = (typeof nameKinds)[number];

const byKey: Readonly<Record<string, NameKind>> = {
  ...{ agent: "agents", to: "agents", from: "agents", sender: "agents", worker: "agents" },
  ...{ thread: "threads", channel: "topics", after: "tasks", terminalId: "tasks" },
};

/** The kind of names that a field takes, if any. */
export function namesTaken(op: AnyOperation, { key, type }: Field): NameKind | undefined {
  if (type !== "text" && type !== "list") return undefined;
  if (key === "name" && op.name.startsWith("tasks.") && op.cli.plain?.includes(key)) return "tasks";
  // For the position of a task `to` is a number, for a copy of a bus a location.
  if (op.name.startsWith("bus.")) return undefined;
  return byKey[key];
}

const most = 200;

const lists: Record<NameKind, (inbox: Inbox) => Promise<string[]>> = {
  agents: async (inbox) => (await inbox.call("agents.list", {})).agents.map(({ name }) => name),
  threads: async (inbox) =>
    (await inbox.call("threads.list", { limit: most })).threads.map(({ threadId }) => threadId),
  tasks: async (inbox) => {
    const { queued, running, finished } = await inbox.call("tasks.queue", { all: true, limit: most });
    return [...queued, ...running, ...finished].map(({ name }) => name);
  },
  topics: async (inbox) =>
    (await inbox.call("messages.channels", { limit: most })).channels.map(({ channel }) => channel),
};

/** Only names that a shell takes as plain words: an agent may be called `$(rm -r .)`, and bash expands lists of words. */
export async function namesOf(inbox: Inbox, kind: NameKind): Promise<string[]> {
  const names = await lists[kind](inbox);
  return [...new Set(names)].filter((name) => /^[\p{L}\p{N}_.:@/+-]+$/u.test(name));
}
