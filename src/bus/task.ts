/** Tasks as they are stored, and the few statements that touch one. */
import { InboxError } from "../contract/errors.ts";
import { idOf, taskNumberIn } from "../contract/ids.ts";
import { blank, call, phrase } from "../contract/phrase.ts";
import type { Review } from "../contract/review.ts";
import { closest } from "../contract/suggest.ts";
import type { Task, TaskInQueue } from "../contract/task.ts";
import type { Procedure } from "../sql/procedure.ts";
import { all, one, run } from "../sql/procedure.ts";
import { fragment, joined, literal, nothing, type Sql, sql } from "../sql/sql.ts";
import { assignments, columnsOf, type RowOf } from "../sql/table.ts";
import { tasks } from "../sql/tables.ts";
import { firstLine } from "./message.ts";
import { reviewView } from "./review.ts";
import { budgetView, type UsageRow, usagesOf, usageViews } from "./usage.ts";
import { type WorktreeRow, worktreesOf, worktreeView } from "./worktree.ts";

export * from "./task-states.ts";

export type TaskRow = RowOf<typeof tasks>;
export const taskColumns = columnsOf(tasks);
/** The same with no more than the beginning of the prompt. */
const briefColumns = columnsOf(tasks, { prompt: fragment`substr(tasks.prompt, 1, 400)` });

export const isLive = (row: TaskRow) => row.status !== "finished";
export const isUnstartedRow = (row: TaskRow) => row.status === "queued" || row.status === "waiting";

export function* tasksWhere(condition: Sql, order: Sql = fragment`tasks.task_number`): Procedure<TaskRow[]> {
  return yield* all<TaskRow>(sql`select ${taskColumns} from tasks where ${condition} order by ${order}`);
}

/**
 * [A2] Which task is meant: the one with that id; else the newest of that name; else the one with that branch. A
 * branch belongs to another task once it was merged or discarded.
 */
export function* taskNumberOf(meant: string): Procedure<number | undefined> {
  // Checked first, so that a task from before such names were refused does not hide another task.
  const number = taskNumberIn(meant);
  const byId =
    number !== undefined &&
    (yield* one(sql`select 1 as there from tasks where tasks.task_number = ${number}`));
  if (byId) return number;
  const found = yield* one<{ task_number: number }>(sql`
    select tasks.task_number from tasks where tasks.name = ${meant} order by tasks.task_number desc limit 1`);
  return found?.task_number ?? (yield* taskOnBranch(meant));
}

/** Repositories do not share branches, so several tasks can have a branch of the same name. */
function* taskOnBranch(branch: string): Procedure<number | undefined> {
  const rows = yield* all<{ task_number: number; state: WorktreeRow["state"] }>(sql`
    select worktrees.task_number, worktrees.state from worktrees where worktrees.branch = ${branch}
    order by case worktrees.state when 'kept' then 0 when 'planned' then 1 else 2 end, worktrees.task_number desc`);
  const kept = rows.filter(({ state }) => state === "kept").map((row) => idOf("task", row.task_number));
  if (kept.length > 1)
    throw new InboxError(
      "invalid_input",
      `the branch "${branch}" is kept by ${kept.length} tasks: ${kept.join(", ")}`,
      {
        hint: "give the id of the one that is meant",
      },
    );
  return rows[0]?.task_number;
}

/** By its name, its id or its branch. */
export function* findTask(name: string): Procedure<TaskRow> {
  const number = yield* taskNumberOf(name);
  const [row] = number === undefined ? [] : yield* tasksWhere(sql`tasks.task_number = ${number}`);
  if (row) return row;
  const known = yield* all<{ name: string }>(
    sql`select distinct tasks.name from tasks order by tasks.name limit 5000`,
  );
  const similar = closest(
    name,
    known.map((other) => other.name),
  );
  throw new InboxError("not_found", `there is no task "${name}"`, {
    hint: similar.length
      ? `did you mean ${similar.map((other) => `"${other}"`).join(" or ")}?`
      : known.length
        ? phrase`${call("tasks.queue", { all: true })} shows the tasks`
        : phrase`there are no tasks yet; ${call("tasks.push", { prompt: blank("PROMPT") })} queues one`,
  });
}

/** The unfinished task of that name, if there is one. */
export function* liveTask(name: string): Procedure<TaskRow | undefined> {
  return yield* one<TaskRow>(
    sql`select ${taskColumns} from tasks where tasks.name = ${name} and tasks.status <> 'finished'`,
  );
}

/**
 * The first word of a keeper's token stays the same when the task is taken over: the processes that were started have
 * it as their mark.
 */
export const markOf = (token: string) => token.split(".", 1)[0]!;

type Change = Partial<Omit<TaskRow, "task_number" | "name" | "parent" | "created_at">>;

export function* changeTask(row: TaskRow, change: Change): Procedure<TaskRow> {
  yield* run(sql`update tasks set ${assignments(tasks, change)} where task_number = ${row.task_number}`);
  return { ...row, ...change };
}

export function* dependenciesOf(rows: readonly TaskRow[]): Procedure<Map<number, string[]>> {
  const found = new Map<number, string[]>();
  if (!rows.length) return found;
  const links = yield* all<{ task_number: number; name: string }>(sql`
    select task_dependencies.task_number, tasks.name from task_dependencies
      join tasks on tasks.task_number = task_dependencies.after_number
    where task_dependencies.task_number in (${joined(rows.map((row) => row.task_number))}) order by tasks.task_number`);
  for (const { task_number, name } of links)
    found.set(task_number, [...(found.get(task_number) ?? []), name]);
  return found;
}

/** Tasks for a list. */
export function* tasksInQueue(condition: Sql, order: Sql, limit?: number): Procedure<TaskInQueue[]> {
  const rows = yield* all<TaskRow>(sql`
    select ${briefColumns} from tasks where ${condition} order by ${order} ${limit === undefined ? nothing : sql`limit ${literal(limit)}`}`);
  const more = yield* moreOf(rows);
  return rows.map((row) => {
    const { review, ...fields } = fieldsOf(row, more);
    return { ...fields, review: review && briefly(review), summary: firstLine(row.prompt) };
  });
}

const briefly = ({ findings: _, ...review }: Review) => review;

export function* oneView(row: TaskRow): Procedure<Task> {
  return { ...fieldsOf(row, yield* moreOf([row])), prompt: row.prompt };
}

/** What other tables say of tasks, by their numbers. */
interface More {
  after: Map<number, string[]>;
  worktrees: Map<number, WorktreeRow>;
  usages: Map<number, UsageRow>;
}

function* moreOf(rows: readonly TaskRow[]): Procedure<More> {
  return {
    after: yield* dependenciesOf(rows),
    worktrees: yield* worktreesOf(rows),
    usages: yield* usagesOf(rows),
  };
}

const fieldsOf = (row: TaskRow, { after, worktrees, usages }: More): Omit<Task, "prompt"> => ({
  id: idOf("task", row.task_number),
  name: row.name,
  status: row.status,
  parent: row.parent,
  profile: row.profile,
  model: row.model,
  timeoutSeconds: row.timeout_ms === null ? null : row.timeout_ms / 1000,
  priority: row.priority,
  after: after.get(row.task_number) ?? [],
  retries: row.retries,
  attempt: row.attempt,
  worker: row.worker,
  threadId: row.thread_id === null ? null : idOf("thread", row.thread_id),
  cwd: row.cwd,
  host: row.host,
  pid: row.status === "running" ? pidOf(row.child) : null,
  session: row.session,
  createdAt: row.created_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  success: row.success === null ? null : row.success === 1,
  error: row.error,
  reason: row.reason,
  permission: row.permission,
  worktree: worktreeView(worktrees.get(row.task_number)),
  review: reviewView(row),
  reviewOf: row.review_of === null ? null : row.parent,
  budget: budgetView(row),
  ...usageViews(usages.get(row.task_number)),
});

/** Processes are written as `pid:start:boot`. */
const pidOf = (process: string | null) => (process === null ? null : Number(process.split(":", 1)[0]));

/** The tasks that an agent has pushed, and their reviews. */
export const ownedBy = (agent: string | undefined): Sql =>
  agent === undefined
    ? nothing
    : sql`and (tasks.parent = ${agent} or tasks.review_of in (
        select pushed.task_number from tasks as pushed where pushed.parent = ${agent}))`;
