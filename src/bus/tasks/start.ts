/** [Q2] [Q4] Which waiting tasks start now. Each gets its thread, and a token for the one process that keeps it. */

import { idOf } from "../../contract/ids.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one, Refused } from "../../sql/procedure.ts";
import { joined, literal, nothing, type Sql, sql } from "../../sql/sql.ts";
import { columnsOf, part, type RowOf } from "../../sql/table.ts";
import { tasks } from "../../sql/tables.ts";
import { seen } from "../agent.ts";
import { heldToday } from "../daily-limit.ts";
import { append } from "../event.ts";
import { expiryAfter } from "../expiry.ts";
import { collect } from "../hand-over/collect.ts";
import { firstLine } from "../message.ts";
import { threadsClaim } from "../procedures/threads-claim.ts";
import { threadsSend } from "../procedures/threads-send.ts";
import {
  changeTask,
  isReleased,
  isRunning,
  isWaiting,
  lockTasks,
  type TaskRow,
  taskColumns,
  tasksWhere,
} from "../task.ts";
import { findThread } from "../thread.ts";
import { endDispatched } from "./dispatched.ts";
import { endedMeanwhile } from "./end.ts";
import { keepSeconds } from "./keep.ts";
import type { Worked } from "./worker-idle.ts";

/** How many tasks may run at a time: in total, and with each profile. */
export interface Room {
  all: number;
  /** [Q16] How many may be starting at once: a process that starts needs more than one that runs. */
  starting?: number;
  /** By profile: the limits it shares with others. */
  of: ReadonlyMap<string, { shared: string; most: number }>;
}

export interface Started {
  number: number;
  name: string;
  token: string;
}

/** The tasks that were started, each to be given a keeper; and when to look again. */
export interface Begun {
  started: Started[];
  /** The tasks that running workers have ended. */
  worked: Worked[];
  /** [Q16] More tasks would have started if those that are starting had a keeper already. */
  paced: boolean;
  /** Nothing is waiting or running any more. */
  idle: boolean;
  /** When time alone makes another task due: the end of a pause before a retry, or of a worker's timeout. */
  againInMs?: number;
  /** The threads that running workers have: when these end, their tasks end. */
  dispatched: number[];
}

/** The columns of a running task that tell which limits it counts towards. */
const occupant = part(tasks, "task_number", "parent", "profile", "worker", "in_turn", "keeper");
const occupantColumns = columnsOf(occupant);
type Occupant = RowOf<typeof occupant>;

export function* startDue(tx: Context, host: string, room: Room): Procedure<Begun> {
  yield* lockTasks(tx);
  const now = yield* tx.clock();
  const worked = yield* endDispatched(tx, now);
  const running = yield* all<Occupant>(sql`select ${occupantColumns} from tasks where ${isRunning}`);
  // [A11] When the daily limit is reached, only running workers get tasks.
  const isHeld = (yield* heldToday(now)) !== null;
  // [A12] A task that is being reviewed runs no program meanwhile; its reviewer takes its place.
  const reviewed = new Set((yield* reviewedNow()).map(({ review_of }) => review_of));
  const free = freeRoom(
    isHeld ? { ...room, all: 0 } : room,
    running.filter(({ task_number }) => !reviewed.has(task_number)),
  );
  // Reviewers come first: they take the place that their task has left.
  const parents = yield* all<{ parent: string; slots: number | null }>(sql`
    select tasks.parent, queues.slots from tasks left join queues on queues.agent_id = tasks.parent
    where ${isWaiting} group by tasks.parent, queues.slots
    order by max(case when tasks.review_of is null then 0 else 1 end) desc, tasks.parent`);
  const started: Started[] = [];
  for (const { parent, slots } of parents) {
    const busy = running.filter((row) => row.parent === parent && row.in_turn === 1).length;
    const at = { free, host, now };
    started.push(...(yield* startOf(tx, { parent, inTurn: 0, slots: Number.POSITIVE_INFINITY }, at)));
    const most = slots === null ? Number.POSITIVE_INFINITY : slots - busy;
    started.push(...(yield* startOf(tx, { parent, inTurn: 1, slots: most }, at)));
  }
  return { started, worked, paced: free.isPaced(), ...(yield* outlook(now)) };
}

function* reviewedNow(): Procedure<Pick<TaskRow, "review_of">[]> {
  return yield* all(
    sql`select tasks.review_of from tasks where ${isReleased} and tasks.review_of is not null order by tasks.review_of`,
  );
}

/** The number of rows to read at once if nothing else limits it. */
const batch = 1000;

interface Queue {
  parent: string;
  /** Whether its tasks count towards the N of `orch run`; the others start in addition to these. */
  inTurn: 0 | 1;
  slots: number;
}

interface Supervised {
  free: ReturnType<typeof freeRoom>;
  host: string;
  now: string;
}

/** The first tasks of a parent for which there is room. A task whose profile is at its limit does not block others. */
function* startOf(
  tx: Context,
  { parent, inTurn, slots }: Queue,
  { free, host, now }: Supervised,
): Procedure<Started[]> {
  const started: Started[] = [];
  for (let left = slots; left > 0; ) {
    const most = Math.min(left, free.left() || batch);
    const rows = yield* due({ parent, inTurn, but: free.closed(), most, now });
    for (const row of rows) {
      if (!free.take(row)) continue;
      left--;
      if (row.worker !== null) yield* dispatch(tx, row, now);
      else {
        const begun = yield* begin(tx, row, host, now);
        if (begun) started.push(begun);
      }
    }
    if (!rows.length) break;
  }
  return started;
}

function freeRoom(room: Room, running: readonly Occupant[]) {
  // A worker that already runs needs no room here.
  const processes = running.filter((row) => row.worker === null);
  const starting = processes.filter((row) => row.keeper === null).length;
  const places = room.all - processes.length;
  const starts = (room.starting ?? Number.POSITIVE_INFINITY) - starting;
  let left = Math.max(0, Math.min(places, starts));
  const used = new Map<string, number>();
  const limitOf = (row: Pick<TaskRow, "profile">) => room.of.get(row.profile ?? "");
  for (const row of processes) {
    const limit = limitOf(row);
    if (limit) used.set(limit.shared, (used.get(limit.shared) ?? 0) + 1);
  }
  const isFull = ({ shared, most }: { shared: string; most: number }) => (used.get(shared) ?? 0) >= most;
  return {
    left: () => left,
    isPaced: () => left === 0 && starts < places,
    /** Leaves out tasks for which there is no room now. */
    closed(): Sql {
      if (left === 0) return sql`and tasks.worker is not null`;
      const full = [...room.of].filter(([, limit]) => isFull(limit)).map(([profile]) => profile);
      if (!full.length) return nothing;
      return sql`and (tasks.worker is not null or coalesce(tasks.profile, '') not in (${joined(full)}))`;
    },
    take(row: TaskRow): boolean {
      if (row.worker !== null) return true;
      const limit = limitOf(row);
      if (left === 0 || (limit && isFull(limit))) return false;
      left--;
      if (limit) used.set(limit.shared, (used.get(limit.shared) ?? 0) + 1);
      return true;
    },
  };
}

interface Due {
  parent: string;
  inTurn: number;
  /** A condition that leaves out tasks for which there is no room now. */
  but: Sql;
  most: number;
  now: string;
}

/** The first tasks of a parent that may start: their dependencies have succeeded, and no pause before a retry is left. */
function* due({ parent, inTurn, but, most, now }: Due): Procedure<TaskRow[]> {
  return yield* all<TaskRow>(sql`
    select ${taskColumns} from tasks where ${isWaiting} and tasks.parent = ${parent} and tasks.in_turn = ${inTurn} ${but}
      and (tasks.not_before is null or tasks.not_before <= ${now})
      and not exists (select 1 from task_dependencies join tasks as needed on needed.task_number = task_dependencies.after_number
        where task_dependencies.task_number = tasks.task_number and needed.status <> 'finished')
    order by tasks.priority_rank, tasks.place limit ${literal(most)}`);
}

function* begin(tx: Context, row: TaskRow, host: string, now: string): Procedure<Started | undefined> {
  if (row.thread_id !== null && (yield* endedMeanwhile(tx, row, now))) return undefined;
  // Done first: sending a thread to an unknown name searches all names for similar ones.
  yield* seen(tx, row.name, now);
  const thread = row.thread_id ?? (yield* openThread(tx, row, row.name));
  const token = crypto.randomUUID();
  const after = yield* changeTask(row, {
    status: "running",
    thread_id: thread,
    attempt: row.attempt + 1,
    keeper_token: token,
    leased_until: expiryAfter(now, keepSeconds),
    host,
    started_at: now,
    not_before: null,
  });
  // [Q4] It holds the thread from the beginning, and its task message counts as shown.
  const granted = yield* threadsClaim(tx, {
    agent: row.name,
    thread: idOf("thread", thread),
    leaseSeconds: keepSeconds,
  });
  if (!(granted instanceof Refused)) {
    const messages = granted.answer.messages.map((message) => message.messageId);
    yield* collect(tx, { agent: row.name, thread: idOf("thread", thread), messages, read: true });
  }
  yield* started(tx, after, now);
  return { number: row.task_number, name: row.name, token };
}

/** [Q10] A running worker claims the thread when it has time; its own done is the result. */
function* dispatch(tx: Context, row: TaskRow, now: string): Procedure<void> {
  const thread = yield* openThread(tx, row, row.worker!);
  const after = yield* changeTask(row, {
    status: "running",
    thread_id: thread,
    attempt: row.attempt + 1,
    started_at: now,
  });
  yield* started(tx, after, now);
}

function* started(tx: Context, row: TaskRow, now: string): Procedure<void> {
  const thread = yield* findThread(idOf("thread", row.thread_id!));
  const payload = { task: row.name, attempt: row.attempt };
  yield* append(tx, { type: "task.started", source: row.parent, thread, payload, now });
}

function* openThread(tx: Context, row: TaskRow, to: string): Procedure<number> {
  const told = row.follow_up ?? row.prompt;
  const { thread } = yield* threadsSend(tx, {
    from: row.parent,
    to,
    subject: firstLine(told) || row.name,
    task: row.name,
    body: told,
    priority: row.priority,
    strict: false,
    artifacts: [],
    maxAttempts: 1000,
  });
  return Number(thread.threadId.slice("thr_".length));
}

function* outlook(now: string): Procedure<Omit<Begun, "started" | "worked" | "paced">> {
  const live = yield* one(sql`select 1 as here from tasks where ${isReleased} limit 1`);
  const pause = yield* one<{ at: string | null }>(sql`
    select min(tasks.not_before) as at from tasks where ${isWaiting} and tasks.not_before > ${now}`);
  const workers = yield* tasksWhere(sql`${isRunning} and tasks.worker is not null`);
  const waits = workers
    .filter((row) => row.timeout_ms !== null)
    .map((row) => Date.parse(row.started_at!) + row.timeout_ms! - Date.parse(now));
  if (pause?.at) waits.push(Date.parse(pause.at) - Date.parse(now));
  return {
    idle: live === undefined,
    dispatched: workers.map((row) => row.thread_id!),
    ...(waits.length && { againInMs: Math.max(0, Math.min(...waits)) + 1 }),
  };
}
