/** A task: a unit of work in an agent's queue. Running it makes a sub-agent of that name, and a thread. */
import * as v from "valibot";
import { excludes } from "./combinations.ts";
import {
  absolutePath,
  choice,
  described,
  flag,
  integer,
  name,
  names,
  number,
  quotedValue,
  text,
} from "./fields.ts";
import { call, phrase } from "./phrase.ts";
import { review, reviewAsked, reviewInQueue } from "./review.ts";
import { priorities } from "./thread.ts";
import { budget, budgetAsked, usage } from "./usage.ts";
import { worktree, worktreeAsked } from "./worktree.ts";

/** `waiting`: released, and started as soon as its turn comes. */
export const taskStatuses = ["queued", "waiting", "running", "finished"] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** [Q5] Why a task has failed. `failed`: it reported that itself; `refused`: it could not be started as requested. */
export const failureReasons = [
  "timeout",
  "killed",
  "exit",
  "failed",
  "lost",
  "cancelled",
  "skipped",
  "gate",
  "review",
  "refused",
  "budget",
] as const;
export type FailureReason = (typeof failureReasons)[number];

/** [Q15] What a sub-agent may do without asking, from least to most. `ask`: nothing, but it can ask. */
export const permissions = ["reject", "ask", "edit", "allow"] as const;
export type Permission = (typeof permissions)[number];
/** What may be requested: `inherit` is the parent's permission. */
export const permissionsAsked = ["inherit", ...permissions] as const;
export type PermissionAsked = (typeof permissionsAsked)[number];

/** What every view of a task has. */
const taskFields = () => ({
  /** Distinguishes it from other tasks of the same name. */
  id: v.string(),
  name: v.string(),
  status: v.picklist(taskStatuses),
  parent: v.string(),
  profile: v.nullable(v.string()),
  model: v.nullable(v.string()),
  timeoutSeconds: v.nullable(v.number()),
  priority: v.picklist(priorities),
  after: v.array(v.string()),
  retries: v.number(),
  attempt: v.number(),
  worker: v.nullable(v.string()),
  threadId: v.nullable(v.string()),
  cwd: v.string(),
  host: v.nullable(v.string()),
  pid: v.nullable(v.number()),
  session: v.nullable(v.string()),
  createdAt: v.string(),
  startedAt: v.nullable(v.string()),
  finishedAt: v.nullable(v.string()),
  success: v.nullable(v.boolean()),
  error: v.nullable(v.string()),
  reason: v.nullable(v.picklist(failureReasons)),
  permission: v.nullable(v.picklist(permissions)),
  worktree: v.nullable(worktree()),
  /** [A12] The task that it is the review of. */
  reviewOf: v.nullable(v.string()),
  budget: v.nullable(budget()),
  /** Its own; null if its program has reported nothing. */
  usage: v.nullable(usage()),
  /** Including the tasks below it. */
  usageTotal: v.nullable(usage()),
});

export const task = () =>
  v.strictObject({ ...taskFields(), review: v.nullable(review()), prompt: v.string() });
export type Task = v.InferOutput<ReturnType<typeof task>>;

/** In a list: a prompt may be long, so each has only its first line. */
export const taskInQueue = () =>
  v.strictObject({ ...taskFields(), review: v.nullable(reviewInQueue()), summary: v.string() });
export type TaskInQueue = v.InferOutput<ReturnType<typeof taskInQueue>>;

/** [A2] If a name was used more than once, the newest task; an earlier one has its id and its branch. */
export const taskName = (help = "the task: its name, id or branch") => name(help, "TASK");
export const queueOf = () => name("the owner of the queue", "AGENT");

/** [Q1.9] What a sub-agent is told: a blank text would only cost a turn. */
export const told = (help: string, names: { value?: string; flag?: string; formerFlag?: string } = {}) => {
  const field = text(help, { file: true, ...names });
  return described(
    v.pipe(
      field,
      v.check((said) => said === "" || said.trim() !== "", "must not be blank"),
    ),
    field.field,
  );
};

export const prompt = (help = "what the sub-agent is to do") => told(help, { value: "PROMPT" });
/** The same, for the protocol that calls it a message. */
export const promptAsMessage = () =>
  told("what the sub-agent is to do", { value: "PROMPT", flag: "prompt", formerFlag: "message" });

/** By default the parent's own, from its environment, else the profile's. */
/** [C10] The same fields, described for a model. */
export const taskWords = {
  model: "which model",
  profile: "the kind of agent, see profiles",
};

/** How a sub-agent is started in one step, on the command line and by a model: the same for assign and handoff. */
export const startingCommand = {
  program: "orch",
  plain: ["profile", "message"],
  lastFirst: true,
  identity: "agent",
  identityDefault: "main",
} as const;

export const startingTool = {
  set: "supervisor",
  usual: true,
  usualFor: ["leader"],
  without: [
    "cwd",
    "timeout",
    "budget",
    "priority",
    "retries",
    "after",
    "worker",
    "permission",
    "worktree",
    "withChanges",
    "review",
    "reviewRounds",
  ],
} as const;

const model = () => {
  const field = name("the model (default: the value of INBOX_MODEL, else the model of the profile)", "MODEL");
  return v.optional(described(field, { ...field.field, env: "INBOX_MODEL", along: "profile" }));
};

const profile = () => {
  const field = name(
    phrase`the profile of the agent program, see ${call("tasks.profiles")} (default: the value of INBOX_RUNNER, else the default profile)`,
    "PROFILE",
  );
  return v.optional(described(field, { ...field.field, env: "INBOX_RUNNER" }));
};

const workingFolder = () => {
  const field = absolutePath("its working directory (default: the current one)");
  return v.optional(described(field, { ...field.field, here: true }));
};

const timeoutRange = { min: 0.1, max: 31 * 86_400, unit: "seconds" };

export const taskTimeout = (help = "SIGKILL it after N seconds (default: the profile's timeout)") =>
  v.optional(number(help, timeoutRange));

/** [Q3] The value that removes a setting of a task. */
export const noSetting = "none";

/** The same, to change it; null: remove it, so that the profile's applies. */
export const newTimeout = () => {
  const seconds = number("SIGKILL it after N seconds; none: the profile's timeout", timeoutRange);
  return v.optional(
    described(
      v.pipe(
        v.custom<number | typeof noSetting | null>(
          (input) => input === noSetting || input === null || v.is(seconds, input),
          ({ input }) =>
            `must be a number of seconds from ${timeoutRange.min} to ${timeoutRange.max}, or ${noSetting}; got ${quotedValue(input)}`,
        ),
        v.transform((input) => (input === noSetting ? null : input)),
      ),
      { ...seconds.field, value: `N|${noSetting}`, also: [{ enum: [noSetting] }, { type: "null" }] },
    ),
  );
};

export const taskPriority = (help = "priority among waiting tasks (default: normal)") =>
  v.optional(choice(priorities, help));

export const dependencies = () =>
  v.optional(names("start it only after these tasks have succeeded", "TASK,…"));

export const retries = (help = "retry a failed task up to N times (default: the profile's, else 0)") =>
  v.optional(integer(help, { min: 0, max: 100 }));

const permission = () =>
  v.optional(
    choice(
      permissionsAsked,
      "what it may do: inherit: the same as you (default); reject: only what its program's own settings allow; ask: also what a person or you permit; edit: also edit files in its folder; allow: everything",
    ),
  );

const worker = () =>
  v.optional(name("assign it to this running agent or pool instead of starting a process", "AGENT|POOL"));

/** The settings of the work itself, the same for push and assign. */
export const taskSettings = () => ({
  name: v.optional(name("the sub-agent's name (default: a generated one)", "NAME")),
  model: model(),
  profile: profile(),
  timeout: taskTimeout(),
  budget: budgetAsked(),
  after: dependencies(),
  retries: retries(),
  priority: taskPriority(),
  permission: permission(),
  worker: worker(),
  cwd: workingFolder(),
  worktree: worktreeAsked(),
  withChanges: flag("start its worktree with your uncommitted changes"),
  ...reviewAsked(),
});

type TaskSetting = keyof ReturnType<typeof taskSettings>;

/** Listed apart: the schemas are not built before they are needed. */
const everySetting: Record<TaskSetting, true> = {
  name: true,
  model: true,
  profile: true,
  timeout: true,
  budget: true,
  after: true,
  retries: true,
  priority: true,
  permission: true,
  worker: true,
  cwd: true,
  worktree: true,
  withChanges: true,
  review: true,
  reviewRounds: true,
};
export const taskSettingNames = Object.keys(everySetting) as TaskSetting[];

/** [Q8] A worker runs already: its program and its model cannot be chosen, and its result is not reviewed. */
export const taskCombinations = [excludes("worker", "profile", "model", "reviewRounds")] as const;
