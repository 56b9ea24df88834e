/** [X10] How the caller is related to the things that a call names: whether they are its own, open, the person's or another's. */
import type { ObjectKind, Relation, Target } from "../contract/access.ts";
import { person } from "../contract/entry.ts";
import { isEntryId, numberOf } from "../contract/ids.ts";
import type { Procedure } from "../sql/procedure.ts";
import { one } from "../sql/procedure.ts";
import { fragment, sql } from "../sql/sql.ts";
import { taskNumberOf } from "./task.ts";
import { entriesSeenBy, isAncestor, isTopic, messagesSeenBy, tasksSeenBy, threadsSeenBy } from "./visible.ts";

type Lookup = (agent: string, target: Target) => Procedure<Relation>;

/** A thing that does not exist is related to nobody: the operation itself reports that it is not found. */
export function* relationOf(agent: string, target: Target): Procedure<Relation> {
  return yield* lookups[target.kind](agent, target);
}

const number = (id: string | number) => (typeof id === "number" ? id : numberOf(id));

const lookups: Record<ObjectKind, Lookup> = {
  inbox: channelOf,
  channel: channelOf,

  /** Any agent may take the work of a pool. A name that belongs to an agent is not a pool that can be joined. */
  *pool(agent, { id }) {
    if (id === person) return "person";
    const somebody = yield* one(sql`select 1 as there from agents where agents.name = ${id}`);
    return somebody && id !== agent ? "other" : "own";
  },

  /**
   * To read a message, the caller must be a party to it; to settle it, the message must be in the caller's inbox, or on
   * a topic. A message of a thread is on no topic: a name that nobody has used may be that of an agent to come.
   */
  *message(agent, { id, does }) {
    if (isEntryId(id)) return yield* lookups.entry(agent, { kind: "entry", id, does });
    const row = yield* one<{ to_agent: string }>(
      sql`select messages.to_agent from messages where messages.message_id = ${number(id)}`,
    );
    if (!row) return "own";
    if (does === "change") {
      const channel = yield* channelOf(agent, { kind: "channel", id: row.to_agent, does });
      if (channel !== "open") return channel;
    }
    const mine = yield* one(
      sql`select 1 as mine from messages where messages.message_id = ${number(id)} and ${messagesSeenBy(agent)}`,
    );
    if (mine) return does === "change" ? "open" : "own";
    return row.to_agent === person ? "person" : "other";
  },

  *thread(agent, { id }) {
    const row = yield* one<{ mine: number }>(sql`
      select case when ${threadsSeenBy(agent)} then 1 else 0 end as mine from threads where threads.thread_id = ${number(id)}`);
    return !row || row.mine === 1 ? "own" : "other";
  },

  /** The creator of a thread decides who has it. */
  *assignment(agent, { id }) {
    const row = yield* one<{ created_by: string }>(
      sql`select threads.created_by from threads where threads.thread_id = ${number(id)}`,
    );
    return !row || row.created_by === agent ? "own" : "other";
  },

  /** Any task may read its own transcript; only the tasks and agents above it may end or change it. */
  *task(agent, { id, does }) {
    const condition = does === "read" ? tasksSeenBy(agent) : isAncestor(agent);
    const meant = yield* taskNumberOf(String(id));
    if (meant === undefined) return "own";
    const row = yield* one<{ mine: number }>(sql`
      select case when ${condition} then 1 else 0 end as mine from tasks where tasks.task_number = ${meant}`);
    return !row || row.mine === 1 ? "own" : "other";
  },

  /** Whoever pushed an entry may read it; only the person may change it. */
  *entry(agent, { id, does }) {
    if (agent === person) return "own";
    if (does === "change") return "person";
    const row = yield* one(
      sql`select 1 as mine from entries where entries.entry_id = ${id} and ${entriesSeenBy(agent)}`,
    );
    return row ? "own" : "person";
  },

  *workspace(agent, { id }) {
    const row = yield* one<{ agent_id: string }>(
      sql`select workspaces.agent_id from workspaces where workspaces.workspace_id = ${id}`,
    );
    return !row || row.agent_id === agent ? "own" : "person";
  },
};

function* channelOf(agent: string, { id }: Target): Procedure<Relation> {
  const name = String(id);
  if (name === agent) return "own";
  if (name === person) return "person";
  const member = yield* one(sql`
    select 1 as member from pool_members where pool_members.agent_id = ${agent} and pool_members.pool = ${name}`);
  if (member) return "own";
  return (yield* one(sql`
    select 1 as open from (select cast(${name} as text) as name) as channel where ${isTopic(fragment`channel.name`)}`))
    ? "open"
    : "other";
}
