/** The queue and the sub-agents that run from it. */
import { signal } from "@preact/signals";
import type { OutputOf } from "../../src/contract/operations/index.ts";
import type { TranscriptEntry } from "../../src/contract/transcript.ts";
import { api, hasToken } from "./api.ts";
import { coalesced } from "./coalesce.ts";
import { onEvent, onHealed } from "./live.ts";

export type { TranscriptEntry };
/** As the queue lists it: with the first line of its prompt. */
export type Task = OutputOf<"tasks.queue">["queued"][number];
export type Profile = OutputOf<"tasks.profiles">["profiles"][number];

export const queue = signal<OutputOf<"tasks.queue">>({
  queued: [],
  running: [],
  finished: [],
  hasMore: false,
});

export const loadQueue = coalesced(async () => {
  queue.value = await api.tasks.queue({ all: true });
});

/** The person works the leader's queue; a token says by itself whose it is. */
export const leader = "main";
const whose = hasToken ? {} : { agent: leader };
/** A queue is changed as the one whose it is. */
const by = (task: Task) => (hasToken ? {} : { agent: task.parent });

export interface NewTask {
  prompt: string;
  name?: string;
  model?: string;
  profile?: string;
  timeout?: number;
}

export const tasks = {
  push: (task: NewTask) => api.tasks.push({ ...whose, ...task }),
  run: (count?: number) => api.tasks.run({ ...whose, ...(count !== undefined && { count }) }),
  remove: (task: Task) => api.tasks.remove({ ...by(task), name: task.name }),
  move: (task: Task, to: { before: string } | { behind: string }) =>
    api.tasks.move({ ...by(task), name: task.name, ...to }),
  edit: (task: Task, change: { prompt: string }) =>
    api.tasks.edit({ ...by(task), name: task.name, ...change }),
  kill: (task: Task) => api.tasks.kill({ ...by(task), name: task.name }),
  log: (name: string, after: number, signal: AbortSignal) =>
    api.tasks.log({ name, after, limit: 500, timeoutSeconds: 25 }, { signal }),
  show: (name: string) => api.tasks.show({ name }),
  profiles: () => api.tasks.profiles({}),
};

export const taskNamed = (name: string) =>
  [...queue.value.running, ...queue.value.queued, ...queue.value.finished].find((task) => task.name === name);

/** Whether an agent is a sub-agent whose transcript can be read. */
export const agentIsTask = (name: string) => taskNamed(name) !== undefined;

export function followTasks(): void {
  const again = () => void loadQueue().catch(() => {});
  onEvent(({ eventType }) => {
    if (eventType.startsWith("task.")) again();
  });
  onHealed(again);
}
