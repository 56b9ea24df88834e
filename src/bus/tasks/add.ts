/** [Q1] A new task: its name, its permission, and its dependencies. */
import { InboxError } from "../../contract/errors.ts";
import { shownName, taskNameProblem } from "../../contract/names.ts";
import type { ParsedOf } from "../../contract/operations/index.ts";
import { call, field, phrase } from "../../contract/phrase.ts";
import { type Permission, type PermissionAsked, permissions } from "../../contract/task.ts";
import type { Budget } from "../../contract/usage.ts";
import type { WorktreeAsked } from "../../contract/worktree.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one, run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { insert } from "../../sql/table.ts";
import { taskDependencies, tasks } from "../../sql/tables.ts";
import { isKnown, liveSince, seen } from "../agent.ts";
import { append } from "../event.ts";
import { admitName, ownerOf } from "../names.ts";
import { spend } from "../quota.ts";
import { findTask, isLive, liveTask, lockTasks, type TaskRow, taskColumns } from "../task.ts";
import { shortNames } from "../task-names.ts";
import { budgetColumns } from "../usage.ts";
import { planWorktree, type WorktreePlan } from "../worktree.ts";
import { buryMailOf } from "./mail.ts";

/** What a push needs in addition: who queues what, where, and with which profile. */
export type NewTask = Omit<
  ParsedOf<"tasks.push">,
  "cwd" | "profile" | "retries" | "worktree" | "withChanges" | "budget" | "review" | "reviewRounds"
> & {
  cwd: string;
  profile: string | null;
  retries: number;
  /** [Q1] A profile has the name of the parent, and the push names no profile. */
  parentIsProfile?: boolean;
  /** [Q15] The permission of its profile; null if its program does not ask for permissions. */
  usualPermission: PermissionAsked | null;
  /** [A1] What was asked for, and the repository, if there is one that can be used. */
  worktree: WorktreeAsked;
  repository: WorktreePlan | null;
  /** [A12] The profile that reviews it, and the maximum number of reviews. */
  review: { profile: string; rounds: number } | null;
  /** [A12] The number of the task that it reviews. */
  reviewOf?: number;
  /** [A11] */
  budget: Budget | null;
  /** [X12] The variables it is given, as JSON. */
  env: string | null;
};

export function* addTask(tx: Context, input: NewTask): Procedure<TaskRow> {
  yield* lockTasks(tx);
  const now = yield* tx.clock();
  // Elsewhere the name is part of a configuration, and not typed with each call.
  if (input.parentIsProfile && tx.surface === "cli" && !tx.verified)
    yield* refuseProfileAsParent(tx, input.agent);
  const name = input.name ?? (yield* freeName());
  yield* refuseTaken(name, input.agent, now);
  yield* admitName(name);
  if (input.worker !== undefined) yield* admitName(input.worker);
  const after = yield* prerequisites(name, input.after ?? []);
  const permission = yield* permissionOf(input);
  yield* spend(tx, input.agent, { bytes: () => Buffer.byteLength(input.prompt), subAgents: 1 }, now);
  yield* seen(tx, input.agent, now);
  // [Q14] Mail to an earlier sub-agent of this name is not for this one.
  const before = yield* one(sql`select 1 as here from tasks where tasks.name = ${name} limit 1`);
  if (before) yield* buryMailOf(tx, name, now);
  const timeout = input.timeout === undefined ? null : Math.round(input.timeout * 1000);
  const place = yield* one<{ last: number | null }>(
    sql`select max(tasks.place) as last from tasks where tasks.status <> 'finished'`,
  );
  const made = yield* one<TaskRow>(sql`
    ${insert(tasks, {
      name,
      parent: input.agent,
      status: "queued",
      prompt: input.prompt,
      profile: input.profile,
      model: input.model ?? null,
      cwd: input.cwd,
      timeout_ms: timeout,
      priority: input.priority ?? "normal",
      place: (place?.last ?? 0) + 1,
      retries: input.retries,
      worker: input.worker ?? null,
      created_at: now,
      permission,
      env_json: input.env,
      review: input.review?.profile ?? null,
      review_rounds: input.review?.rounds ?? null,
      review_of: input.reviewOf ?? null,
      parent_number: (yield* liveTask(input.agent))?.task_number ?? null,
      ...budgetColumns(input.budget),
    })}
    returning ${taskColumns}`);
  yield* depend(made!.task_number, after);
  if (input.repository && hasWorktree(input.worktree, permission))
    yield* planWorktree(made!.task_number, input.repository);
  yield* append(tx, { type: "task.pushed", source: input.agent, payload: { task: name }, now });
  return made!;
}

/** [Q1] `agent` is who pushes. With the name of a profile that nobody has used, the profile was meant. */
function* refuseProfileAsParent(tx: Context, agent: string): Procedure<void> {
  if (yield* isKnown(tx, agent)) return;
  throw new InboxError(
    "invalid_input",
    phrase`${field("agent", agent)} is who gets the result, and no agent has that name: ${JSON.stringify(agent)} is a profile`,
    {
      hint: phrase`give ${field("profile", agent)} instead of ${field("agent")} to start a sub-agent with it; if you are the agent ${JSON.stringify(agent)}, give both`,
    },
  );
}

/** [A1] A task whose permission is unknown works directly in its folder, unless the push says otherwise. */
const hasWorktree = (asked: WorktreeAsked, permission: Permission | null) =>
  asked === "yes" || (asked === "auto" && permission !== null && permission !== "reject");

/**
 * [Q15] What was asked for, else what its profile says, else its parent's permission; nobody can give more than it
 * has. A task without a parent task may edit: that is what work on files needs.
 */
function* permissionOf({ agent, permission, usualPermission }: NewTask): Procedure<Permission | null> {
  if (usualPermission === null) return null;
  const most = (yield* liveTask(agent))?.permission ?? null;
  const explicit = permission ?? "inherit";
  if (most !== null && explicit !== "inherit" && isMore(explicit, most))
    throw new InboxError("not_allowed", `"${agent}" has permission=${most} and cannot grant ${explicit}`, {
      hint: "leave out permission to give it the same as yours",
    });
  const wanted = explicit === "inherit" ? usualPermission : explicit;
  if (wanted === "inherit") return most ?? "edit";
  return most !== null && isMore(wanted, most) ? most : wanted;
}

const isMore = (one: Permission, other: Permission) => permissions.indexOf(one) > permissions.indexOf(other);

export function* depend(task: number, after: readonly TaskRow[]): Procedure<void> {
  for (const { task_number } of after)
    yield* run(insert(taskDependencies, { task_number: task, after_number: task_number }));
}

/** [Q10] The tasks it depends on. They exist already, so a cycle can only be made by editing. */
export function* prerequisites(name: string, names: readonly string[]): Procedure<TaskRow[]> {
  // By number: one task can be named twice, by its name and by its id.
  const rows = new Map<number, TaskRow>();
  for (const other of names) {
    if (other === name)
      throw new InboxError("invalid_input", `"${name}" cannot wait for itself`, {
        hint: phrase`leave it out of ${field("after")}`,
      });
    const row = yield* findTask(other);
    if (!isLive(row) && row.success !== 1)
      throw new InboxError(
        "invalid_state",
        `"${name}" would never start: its dependency "${other}" did not succeed`,
        {
          hint: `push "${other}" again first, or leave it out`,
        },
      );
    rows.set(row.task_number, row);
  }
  return [...rows.values()];
}

/** A name belongs to one unfinished task at a time; and a live agent that is not a sub-agent keeps its inbox to itself. */
function* refuseTaken(name: string, parent: string, now: string): Procedure<void> {
  // [A2] A call with that id or branch would then get this task.
  const problem = taskNameProblem(name);
  if (problem !== undefined)
    throw new InboxError(
      "conflict",
      `the name ${shownName(name)} ${problem}: commands would take it for another task`,
      { hint: "choose another name, or leave it out to get a generated one" },
    );
  if (name === "user" || name === "main" || name === parent || (yield* livesAlready(name, now)))
    throw new InboxError("conflict", `the name "${name}" is taken: ${holderOf(name, parent)}`, {
      hint: "choose another name, or leave it out to get a generated one",
    });
  // [X11] Even if the owner is inactive: it would lose its mail, and another would act under its name.
  const owner = yield* ownerOf(name);
  if (owner)
    throw new InboxError("conflict", `the name "${name}" is taken: "${owner.agent_id}" has ${owner.what}`, {
      hint: "choose another name, or leave it out to get a generated one",
    });
  const pool = yield* one(sql`select 1 as here from pool_members where pool_members.pool = ${name} limit 1`);
  if (pool)
    throw new InboxError("conflict", `"${name}" is a pool: the sub-agent would get its mail and its work`, {
      hint: "choose another name, or leave it out to get a generated one",
    });
  const taken = yield* liveTask(name);
  if (taken)
    throw new InboxError("conflict", `the name "${name}" is taken: a task of that name is ${taken.status}`, {
      hint: phrase`choose another name, or leave it out; ${call("tasks.queue", { all: true })} shows them`,
    });
}

function holderOf(name: string, parent: string): string {
  if (name === parent) return "it is your own";
  return name === "user" ? "it is the person's" : `an agent of that name is active`;
}

function* livesAlready(name: string, now: string): Procedure<boolean> {
  const somebody = yield* one(sql`
    select 1 as here from agents where agents.name = ${name} and agents.last_seen_at >= ${liveSince(now)}
      and not exists (select 1 from tasks where tasks.name = ${name} and tasks.worker is null)`);
  return somebody !== undefined;
}

function* freeName(): Procedure<string> {
  for (const name of shortNames()) {
    const used = yield* one(sql`
      select 1 as here from tasks where tasks.name = ${name}
      union all select 1 from agents where agents.name = ${name} limit 1`);
    if (!used) return name;
  }
  throw new InboxError("internal", "no free name for a task was found");
}
