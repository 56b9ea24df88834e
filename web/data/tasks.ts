/** The queue and the sub-agents that run from it. */
import type { OutputOf } from "../../src/contract/operations/index.ts";
import { api, hasToken } from "./api.ts";
import { store } from "./store.ts";

/** As the queue lists it: with the first line of its prompt. */
export type Task = OutputOf<"tasks.queue">["queued"][number];

const listTasks = () => api.tasks.queue({ all: true });

export const queue = store({
  fetch: listTasks,
  changedBy: ({ eventType }) => eventType.startsWith("task."),
});

/** Without tokens the page works on the queue of this agent; a token says by itself whose queue it is. */
export const leader = "main";
const whose = hasToken ? {} : { agent: leader };
/** A queue is changed in the name of its owner. */
const by = (task: Task) => (hasToken ? {} : { agent: task.parent });

export interface NewTask {
  prompt: string;
  name?: string;
  model?: string;
  profile?: string;
  timeout?: number;
}

export const tasks = {
  queue: listTasks,
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

export function taskNamed(name: string): Task | undefined {
  const { running = [], queued = [], finished = [] } = queue.value.value ?? {};
  return [...running, ...queued, ...finished].find((task) => task.name === name);
}

/** What a person calls its state. */
export const statusOf = ({ status, success }: Task) =>
  status === "finished" ? (success ? "done" : "failed") : status;
