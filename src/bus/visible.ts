/**
 * [X10] What an agent may read in lists, as conditions of a query. `tx.viewer` is the agent that an answer is for, if
 * it may not read everything; without it nothing is left out.
 */
import { person } from "../contract/entry.ts";
import type { Context } from "../sql/procedure.ts";
import { fragment, nothing, type Sql, sql } from "../sql/sql.ts";
import { eitherMessages } from "../sql/walk.ts";

/** The names under which things are addressed to an agent: its own and its pools'. */
const reachedBy = (agent: string) =>
  sql`(select cast(${agent} as text) union all select pool_members.pool from pool_members where pool_members.agent_id = ${agent})`;

/**
 * A name that belongs to nobody: not to an agent, a pool, the person, or a task that has not started. What was sent to it
 * in a thread is that thread's nevertheless.
 */
export const isTopic = (name: Sql) => sql`(${name} <> ${person}
  and not exists (select 1 from agents as somebody where somebody.name = ${name})
  and not exists (select 1 from pools as pool where pool.pool = ${name})
  and not exists (select 1 from tasks as task where task.name = ${name}))`;

/**
 * A party to a thread: its creator, its present or former holder, an agent that may claim it, or one that was written
 * to in it.
 */
export const threadsSeenBy = (agent: string) => sql`(threads.created_by = ${agent}
  or threads.assigned_to in ${reachedBy(agent)} or threads.addressed_to in ${reachedBy(agent)}
  or exists (select 1 from leases as held where held.thread_id = threads.thread_id and held.agent_id = ${agent})
  or exists (select 1 from lost_leases as lost where lost.thread_id = threads.thread_id and lost.agent_id = ${agent})
  or exists (select 1 from messages as letter where letter.thread_id = threads.thread_id and letter.to_agent = ${agent}))`;

const inThreadOf = (thread: Sql, agent: string) =>
  sql`exists (select 1 from threads where threads.thread_id = ${thread} and ${threadsSeenBy(agent)})`;

export const messagesSeenBy = (
  agent: string,
) => sql`(messages.to_agent in ${reachedBy(agent)} or messages.from_agent = ${agent}
  or (messages.thread_id is null and ${isTopic(fragment`messages.to_agent`)})
  or (messages.thread_id is not null and ${inThreadOf(fragment`messages.thread_id`, agent)}))`;

/** What it pushed to the person, or said to the person. */
export const entriesSeenBy = (agent: string) => sql`(entries.sender = ${agent} or exists (
  select 1 from workspaces where workspaces.workspace_id = entries.workspace_id and workspaces.agent_id = ${agent}))`;

/**
 * The task whose sub-agent an agent is: the unfinished one of its name, else the newest. Names are used again, and
 * the present agent of a name has no rights of an earlier one.
 */
const taskOf = (agent: string) => sql`(select own.task_number from tasks as own where own.name = ${agent}
  order by case own.status when 'finished' then 1 else 0 end, own.task_number desc limit 1)`;

/** The tasks it has pushed, the tasks below these, the task that it is itself, and the tasks that it was given as a worker. */
export const tasksSeenBy = (agent: string) =>
  sql`(tasks.task_number = ${taskOf(agent)} or tasks.worker = ${agent} or ${isAncestor(agent)})`;

/**
 * Whether an agent has pushed the task, or a task above it. A sub-agent is identified by the number of its task.
 * Tasks that were pushed by an agent without a task belong to that name, and not to a sub-agent that has the name
 * now.
 */
export const isAncestor = (agent: string) => sql`exists (
  with recursive above (parent, parent_number) as (
    select tasks.parent, tasks.parent_number
    union
    select task.parent, task.parent_number from tasks as task join above on task.task_number = above.parent_number
  )
  select 1 from above where above.parent_number = ${taskOf(agent)}
    or (above.parent_number is null and above.parent = ${agent} and not exists (
      select 1 from tasks as own where own.name = ${agent} and own.status <> 'finished')))`;

/** The list of agents is open to everybody. */
const forEverybody = fragment`('agent.joined', 'pool.joined', 'pool.left', 'pool.removed')`;

const eventsSeenBy = (agent: string) => sql`(events.source = ${agent} or events.created_by = ${agent}
  or events.assigned_to in ${reachedBy(agent)} or events.to_agent in ${reachedBy(agent)} or events.event_type in ${forEverybody}
  or (events.thread_id is null and events.to_agent is not null and ${isTopic(fragment`events.to_agent`)})
  or (events.thread_id is not null and ${inThreadOf(fragment`events.thread_id`, agent)}))`;

const only =
  (condition: (agent: string) => Sql) =>
  ({ viewer }: Pick<Context, "viewer">): Sql[] =>
    viewer === undefined ? [] : [condition(viewer)];

/** Each a condition for a list of them, or none. */
export const visible = {
  threads: only(threadsSeenBy),
  messages: only(messagesSeenBy),
  entries: only(entriesSeenBy),
  tasks: only(tasksSeenBy),
  events: only(eventsSeenBy),
  workspaces: only((agent) => sql`workspaces.agent_id = ${agent}`),
  /** Names of channels, in a column of that name: its own, and topics with something that it may read. */
  channels: (column: Sql) =>
    only(
      (agent) => sql`(${column} in ${reachedBy(agent)} or (${isTopic(column)} and exists (
        select 1 from ${eitherMessages} where messages.to_agent = ${column} and ${messagesSeenBy(agent)})))`,
    ),
};

/** The same behind other conditions. */
export const and = (conditions: readonly Sql[]): Sql =>
  conditions.length ? sql`and ${conditions[0]!}` : nothing;
