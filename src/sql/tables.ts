/**
 * The tables that the bus and every engine know, each declared once (table.ts says what derives from it). The schemas are
 * made by the engines' migrations; a test compares them with this file. A default is declared only where inserts rely on it.
 */
import type { EventType } from "../contract/event.ts";
import type { Kind } from "../contract/message.ts";
import type { FailureReason, Permission, TaskStatus } from "../contract/task.ts";
import type { Priority, Status } from "../contract/thread.ts";
import type { Scope } from "../contract/token.ts";
import type { WorktreeState } from "../contract/worktree.ts";
import { amounts } from "./amounts.ts";
import { integer, serial, table, text } from "./table.ts";

export * from "./entry-tables.ts";
export * from "./more-tables.ts";

export const threads = table(
  "threads",
  ["thread_id"],
  () => ({
    thread_id: serial(),
    run_id: text(),
    task_id: text(),
    subject: text(),
    created_by: text(),
    assigned_to: text(),
    /** The agent or pool that it was first sent to. A release assigns it to that again. */
    addressed_to: text(),
    status: text<Status>(),
    priority: text<Priority>(),
    max_attempts: integer(),
    latest_message_id: integer().nullAtFirst(),
    created_at: text(),
    updated_at: text(),
  }),
  { priority_rank: integer() },
);

export const messages = table("messages", ["message_id"], () => ({
  message_id: serial(),
  thread_id: integer().orNull().refersTo(threads),
  from_agent: text(),
  to_agent: text(),
  kind: text<Kind>(),
  summary: text(),
  body: text(),
  payload_json: text(),
  created_at: text(),
  acked_at: text().nullAtFirst(),
  acked_by: text().nullAtFirst(),
  /** 1 if a token proved the sender. */
  verified: integer(),
  correlation_id: text().orNull(),
  /** 1 if it answers the first message of its correlation. */
  reply: integer(),
  task_id: text().orNull(),
  expires_at: text().orNull(),
  delivery_id: text().nullAtFirst(),
  hidden_until: text().nullAtFirst(),
  manual: integer().default(0),
  lapses: integer().default(0),
  handed: integer().default(0),
  first_handed_at: text().nullAtFirst(),
  dead_at: text().nullAtFirst(),
  dead_reason: text().nullAtFirst(),
}));

export const artifacts = table("artifacts", ["artifact_id"], () => ({
  artifact_id: serial(),
  message_id: integer().refersTo(messages),
  path: text(),
  kind: text(),
  metadata_json: text(),
  created_at: text(),
}));

export const leases = table("leases", ["thread_id"], () => ({
  thread_id: integer().refersTo(threads),
  agent_id: text(),
  lease_token: text(),
  attempt: integer(),
  claimed_at: text(),
  expires_at: text(),
  released_at: text().orNull(),
  /** How long it lasts without a renewal. */
  lease_seconds: integer(),
}));

export const lostLeases = table("lost_leases", ["thread_id", "lease_token"], () => ({
  thread_id: integer().refersTo(threads),
  lease_token: text(),
  attempt: integer(),
  agent_id: text(),
  lost_at: text(),
  /** The agent that took the thread; "" if none did. */
  taken_by: text(),
}));

export const threadReads = table("thread_reads", ["thread_id", "agent_id"], () => ({
  thread_id: integer().refersTo(threads),
  agent_id: text(),
  last_read_message_id: integer().refersTo(messages),
  last_read_at: text(),
}));

export const agents = table("agents", ["name"], () => ({
  name: text(),
  first_seen_at: text(),
  last_seen_at: text(),
  /** When it ended, of a sub-agent whose task retention has deleted. */
  ended_at: text().nullAtFirst(),
}));

export const pools = table("pools", ["pool"], () => ({ pool: text(), created_at: text() }));

export const poolMembers = table("pool_members", ["agent_id", "pool"], () => ({
  agent_id: text(),
  pool: text(),
  joined_at: text(),
}));

export const readers = table("readers", ["channel", "reader"], () => ({
  channel: text(),
  reader: text(),
  position: integer(),
  committed_at: text(),
}));

export const idempotencyKeys = table("idempotency_keys", ["sender", "idempotency_key"], () => ({
  sender: text(),
  idempotency_key: text(),
  operation: text(),
  input_json: text(),
  result_json: text(),
  created_at: text(),
}));

export const tokens = table("tokens", ["token_id"], () => ({
  token_id: serial(),
  agent_id: text(),
  scope: text<Scope>(),
  token_hash: text(),
  created_at: text(),
  revoked_at: text().nullAtFirst(),
}));

export const workspaces = table("workspaces", ["workspace_id"], () => ({
  workspace_id: text(),
  path: text(),
  label: text(),
  agent_id: text(),
  created_at: text(),
  session_command: text().orNull(),
}));

export const tasks = table(
  "tasks",
  ["task_number"],
  () => ({
    task_number: serial(),
    name: text(),
    parent: text(),
    status: text<TaskStatus>(),
    prompt: text(),
    profile: text().orNull(),
    model: text().orNull(),
    cwd: text(),
    timeout_ms: integer().orNull(),
    priority: text<Priority>(),
    place: integer(),
    retries: integer(),
    attempt: integer().default(0),
    worker: text().orNull(),
    thread_id: integer().nullAtFirst().refersTo(threads),
    /** The earliest time of the next attempt, after a failure. */
    not_before: text().nullAtFirst(),
    /** The token of the keeper of this attempt; a newer token fences it. */
    keeper_token: text().nullAtFirst(),
    leased_until: text().nullAtFirst(),
    host: text().nullAtFirst(),
    /** The keeper process, and the process of the sub-agent: pid, start time and boot, so that a reused pid is not mistaken for it. */
    keeper: text().nullAtFirst(),
    child: text().nullAtFirst(),
    /** On its host: the transcript, and how it ended. */
    folder: text().nullAtFirst(),
    session: text().nullAtFirst(),
    /** The token that was lent to it. */
    token_id: integer().nullAtFirst().refersTo(tokens),
    killed_by: text().nullAtFirst(),
    kill_reason: text().nullAtFirst(),
    created_at: text(),
    started_at: text().nullAtFirst(),
    finished_at: text().nullAtFirst(),
    success: integer().nullAtFirst(),
    error: text().nullAtFirst(),
    /** Whether it waits for a slot of its parent's queue; 0 if it was assigned, and starts at once. */
    in_turn: integer().default(1),
    /** [Q15] What it may do without asking; null if its program has no such setting. */
    permission: text<Permission>().orNull(),
    /** Why it failed, for programs. */
    reason: text<FailureReason>().nullAtFirst(),
    /** [X12] Variables from the environment in which it was pushed, as JSON, until it has ended. */
    env_json: text().orNull(),
    /** [A4] The next message to its session; null in its first turn. */
    follow_up: text().nullAtFirst(),
    /** [A12] The profile of its reviewer, how often that is asked at most, and what came of it, as JSON; and the number of the task that it is itself the review of. */
    review: text().orNull(),
    review_rounds: integer().orNull(),
    review_json: text().nullAtFirst(),
    review_of: integer().orNull(),
    /** [A13] The newest message that is to interrupt it, until its keeper has taken it. */
    interrupt_id: integer().nullAtFirst(),
    /** [A11] The task of the sub-agent that pushed it, to which its usage is added. */
    parent_number: integer().orNull(),
    budget_tokens: integer().orNull(),
    budget_micro_usd: integer().orNull(),
  }),
  { priority_rank: integer() },
);

/** [A1] The worktree of a task that has one, or is to have one. */
export const worktrees = table("worktrees", ["task_number"], () => ({
  task_number: integer().refersTo(tasks),
  state: text<WorktreeState>(),
  /** The checkout that it was pushed from, and the folder below its top. */
  repository: text(),
  prefix: text(),
  base: text(),
  into_branch: text().orNull(),
  branch: text().nullAtFirst(),
  path: text().nullAtFirst(),
  tip: text().nullAtFirst(),
  commits: integer().nullAtFirst(),
  files: integer().nullAtFirst(),
  insertions: integer().nullAtFirst(),
  deletions: integer().nullAtFirst(),
  merged_into: text().nullAtFirst(),
  merged_commit: text().nullAtFirst(),
}));

/** [A11] What a task has used, and what all it started has used (`below`). Money in millionths of a dollar. */
export const taskUsage = table("task_usage", ["task_number"], () => ({
  task_number: integer().refersTo(tasks),
  ...amounts(),
  below_input_tokens: integer(),
  below_cached_tokens: integer(),
  below_output_tokens: integer(),
  below_micro_usd: integer().orNull(),
  below_turns: integer(),
  /** The usage already counted of the current attempt, so that a repeated report counts once. */
  attempt_mark: text().orNull(),
  attempt_json: text().orNull(),
  /** The total of the session that its program last reported, for programs that continue counting when it is resumed. */
  session_json: text().orNull(),
}));

export const taskDependencies = table("task_dependencies", ["task_number", "after_number"], () => ({
  task_number: integer().refersTo(tasks),
  after_number: integer().refersTo(tasks),
}));

export const queues = table("queues", ["agent_id"], () => ({ agent_id: text(), slots: integer().orNull() }));

export const outbox = table("outbox", ["message_id"], () => ({
  message_id: integer(),
  agent_id: text(),
  taken_at: text().nullAtFirst(),
}));

export const events = table("events", ["event_id"], () => ({
  event_id: serial(),
  run_id: text().orNull(),
  task_id: text().orNull(),
  thread_id: integer().orNull(),
  source: text(),
  event_type: text<EventType>(),
  status: text<Status>().orNull(),
  created_by: text().orNull(),
  assigned_to: text().orNull(),
  to_agent: text().orNull(),
  message_id: integer().orNull(),
  summary: text(),
  payload_json: text(),
  created_at: text(),
  /** A number that a write has drawn at random, by which it is found if its answer was lost (bus/plain/marked.ts). */
  mark: integer().nullAtFirst(),
}));

export const supervision = table("supervision", ["holder"], () => ({
  holder: text(),
  leased_until: text(),
  hub_url: text().orNull(),
  process: text().orNull(),
}));

export const givenUpCalls = table("given_up_calls", ["call_id"], () => ({
  call_id: text(),
  given_up_at: text(),
}));
