/** The queue and the sub-agents that run from it. */
import type { InputOf, OutputOf } from "../../src/contract/operations/index.ts";
import type { FailureReason } from "../../src/contract/task.ts";
import { plainTitle } from "../documents/plain-text.ts";
import { api, hasToken, me, problemOf } from "./api.ts";
import { store } from "./store.ts";

/** As the queue lists it: with the first line of its prompt. */
export type Task = OutputOf<"tasks.queue">["queued"][number];

const listTasks = () => api.tasks.queue({ all: true });

export const queue = store({
  fetch: listTasks,
  changedBy: ({ eventType }) => eventType.startsWith("task."),
});

/** Without tokens slash commands work on the queue of this agent; a token says by itself whose queue it is. */
export const leader = "main";
/** Whose the tasks are that are pushed here: their results come to whoever pushed them. */
export const ownedBy = (agent: string) => (hasToken ? {} : { agent });
/** A queue is changed in the name of its owner. */
const by = (task: Task) => (hasToken ? {} : { agent: task.parent });

export type NewTask = Omit<InputOf<"tasks.push">, "agent">;

export const tasks = {
  queue: listTasks,
  push: (task: NewTask, agent = me) => api.tasks.push({ ...ownedBy(agent), ...task }),
  /** Starts this one and nothing else. */
  start: ({ prompt, ...task }: NewTask) => api.tasks.assign({ ...ownedBy(me), ...task, message: prompt }),
  /** Starts all that is queued in one queue. */
  run: (agent: string, count?: number) =>
    api.tasks.run({ ...ownedBy(agent), ...(count !== undefined && { count }) }),
  remove: (task: Task) => api.tasks.remove({ ...by(task), name: task.name }),
  move: (task: Task, to: { before: string } | { behind: string }) =>
    api.tasks.move({ ...by(task), name: task.name, ...to }),
  edit: (task: Task, change: { prompt: string }) =>
    api.tasks.edit({ ...by(task), name: task.name, ...change }),
  kill: (task: Task) => api.tasks.kill({ ...by(task), name: task.name }),
  log: (name: string, after: number, signal: AbortSignal) =>
    api.tasks.log({ name, after, limit: 500, timeoutSeconds: 25 }, { signal }),
  /** The end of its transcript, and what is before a place in it. */
  logEnd: (name: string, signal: AbortSignal) => api.tasks.log({ name, tail: 200 }, { signal }),
  logBefore: (name: string, before: number, signal: AbortSignal) =>
    api.tasks.log({ name, tail: 200, before }, { signal }),
  show: (name: string) => api.tasks.show({ name }),
  profiles: () => api.tasks.profiles({}),
};

/** Those that wait, run, and have finished lately; of one name the newest is last. */
export function allTasks(): Task[] {
  const { running = [], queued = [], finished = [] } = queue.value.value ?? {};
  return [...finished, ...queued, ...running];
}

/** By its name or its id. Of one name the one that runs, else the one that waits, else the one that ended last. */
export function taskNamed(name: string): Task | undefined {
  const all = allTasks();
  return all.findLast((task) => task.name === name) ?? all.find(({ id }) => id === name);
}

/** What an address calls it: its name, where that means this one, else its id. */
export const addressOf = ({ name, id }: Task) => (taskNamed(name)?.id === id ? name : id);

/** What it is to do, in a line. */
export const gistOf = ({ summary, reviewOf }: Task) =>
  reviewOf === null ? plainTitle(summary) : `review of ${reviewOf}`;

/** A task that was asked for by name, as the queue would list it. */
export const asListed = ({ prompt, ...task }: OutputOf<"tasks.show">["task"]): Task => ({
  ...task,
  summary: prompt.split("\n")[0]!,
});

/** The same once more, for the person. */
export async function retry(which: string): Promise<void> {
  const { task } = await tasks.show(which);
  const { name, prompt, profile, model, cwd } = task;
  await tasks.start({ name, prompt, cwd, ...(profile && { profile }), ...(model && { model }) });
}

/** One more turn of a sub-agent that has ended, in the same session and worktree. */
const continueWith = ({ id }: Task, message: string) => api.tasks.send({ ...ownedBy(me), name: id, message });

/** Its program has no session that could go on. */
export const cannotGoOn = (error: unknown) => problemOf(error).code === "invalid_state";

/** To a sub-agent that has ended: its session goes on with it, or another one of its name is started. */
export async function goOn(task: Task, text: string): Promise<"turn" | "again"> {
  if (task.session !== null)
    try {
      await continueWith(task, text);
      return "turn";
    } catch (error) {
      if (!cannotGoOn(error)) throw error;
    }
  await startAgain(task, text);
  return "again";
}

/** A finished sub-agent reads nothing: starts another of its name, with the earlier prompt and the new text. Its result goes to the person. */
async function startAgain({ id, name, profile, model, cwd }: Task, text: string): Promise<void> {
  const { task } = await tasks.show(id);
  await tasks.start({
    name,
    cwd,
    ...(profile && { profile }),
    ...(model && { model }),
    prompt: `${task.prompt}\n\nYou have worked on this before and finished. The person now says:\n\n${text}`,
  });
}

/** How one that is no success has ended. Why a failed one has failed its error says. */
const endings: Record<FailureReason, string> = {
  timeout: "timed out",
  killed: "killed",
  exit: "failed",
  failed: "failed",
  lost: "failed",
  cancelled: "cancelled",
  skipped: "skipped",
  gate: "failed",
  review: "sent back",
  refused: "not started",
  budget: "over budget",
};

/** How work has ended that has failed; of others' words what all have in common. */
export const endingOf = (reason: string | null) => endings[reason as FailureReason] ?? "failed";

/** What a person calls its state: one that was taken out of the queue has not failed, one that starts by itself is not only queued. */
export function statusOf({ status, success, reason, startedAt, attempt }: Task): string {
  if (status === "waiting") return attempt > 0 ? "to be retried" : "waiting to start";
  if (status !== "finished") return status;
  if (success) return "done";
  if (reason === "cancelled" && startedAt === null) return "removed";
  return endingOf(reason);
}

/** Taken back by somebody's wish before it was done: nothing to worry about. */
export const isCalledOff = ({ reason }: Task) => reason === "cancelled";

/** It ended without success, and can be started once more. */
export const canRetry = ({ status, success, worker }: Task) =>
  status === "finished" && success === false && worker === null;
