/** The queue and the sub-agents that run from it. Offered where the hub has it. */
import { signal } from "@preact/signals";
import { can } from "./abilities.ts";
import { hasToken, send } from "./api.ts";
import { coalesced } from "./coalesce.ts";
import { onEvent, onHealed } from "./live.ts";

export interface Task {
  name: string;
  status: "queued" | "waiting" | "running" | "finished";
  parent: string;
  prompt: string;
  profile: string | null;
  model: string | null;
  timeoutSeconds: number | null;
  priority: string;
  after: string[];
  retries: number;
  attempt: number;
  worker: string | null;
  threadId: string | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  success: boolean | null;
  error: string | null;
  cwd: string;
}

export interface LogEntry {
  n: number;
  at: string;
  kind: "prompt" | "tool" | "response" | "output" | "error" | "notice" | "final";
  text: string;
  tool?: string;
}

export interface Profile {
  name: string;
  runner: string;
  model: string | null;
  installed: boolean;
  program: string | null;
  hint: string | null;
}

export interface Queue {
  queued: readonly Task[];
  running: readonly Task[];
  finished: readonly Task[];
}

export const hasTasks = () => can("tasks.queue");
export const queue = signal<Queue>({ queued: [], running: [], finished: [] });

async function ask<T>(method: string, path: string, body?: object, signal?: AbortSignal): Promise<T> {
  const response = await send(path, {
    method,
    signal,
    ...(method !== "GET" && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body ?? {}),
    }),
  });
  const value = await response.json();
  if (!response.ok) throw value.error;
  return value as T;
}

export const loadQueue = coalesced(async () => {
  if (hasTasks()) queue.value = await ask("GET", "/api/tasks?all=true");
});

const at = (name: string) => `/api/tasks/${encodeURIComponent(name)}`;

/** The person works the leader's queue; a token says by itself whose it is. */
export const leader = "main";
const whose = hasToken ? {} : { agent: leader };

export interface NewTask {
  prompt: string;
  name?: string;
  model?: string;
  profile?: string;
  timeout?: number;
}

export const tasks = {
  push: (task: NewTask) => ask<{ task: Task }>("POST", "/api/tasks", { ...whose, ...task }),
  run: (count?: number) =>
    ask<{ released: string[]; running: number; waiting: number }>("POST", "/api/tasks/run", {
      ...whose,
      ...(count !== undefined && { count }),
    }),
  remove: (task: Task) => ask("DELETE", at(task.name), by(task)),
  move: (task: Task, to: { before: string } | { behind: string }) =>
    ask("POST", `${at(task.name)}/move`, { ...by(task), ...to }),
  edit: (task: Task, change: { prompt?: string }) => ask("PATCH", at(task.name), { ...by(task), ...change }),
  kill: (task: Task) => ask("POST", `${at(task.name)}/kill`, by(task)),
  log: (name: string, after: number, signal: AbortSignal) =>
    ask<{ entries: LogEntry[]; next: number; ended: boolean }>(
      "GET",
      `${at(name)}/log?after=${after}&limit=500&timeoutSeconds=25`,
      undefined,
      signal,
    ),
  profiles: () => ask<{ default: string | null; profiles: Profile[] }>("GET", "/api/profiles"),
};

/** A queue is changed as the one whose it is. */
const by = (task: Task) => (hasToken ? {} : { agent: task.parent });

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
