/**
 * The tables of a bus, the same on every engine, in the order in which they can be filled: what is referred to comes first.
 * Events come last. Every change appends one, so whoever compares two buses in this order notices a change that was made
 * while it looked, and a copy that has the newest event has all the rest. Not here are `bus`, which tells what bus this is, what is
 * true of running processes only (`presence`, `supervision`, `given_up_calls`), and what is made from the rest (`search_words`, `search_parts`, `search_progress`).
 */
import type { Procedure } from "../sql/procedure.ts";
import type { Engine } from "./engine.ts";

export interface Table {
  name: string;
  /** The primary key; rows are walked in its order. */
  key: readonly string[];
  /** All columns that are written: the key, and no generated ones. */
  columns: readonly string[];
  /** The columns that name a row of another table, by that table. */
  refers: readonly (readonly [column: string, table: string])[];
  /** Its key is a number that is given once, also if the row is deleted. */
  numbered: boolean;
}

function table(
  name: string,
  key: string,
  rest: string,
  more: Partial<Pick<Table, "refers" | "numbered">> = {},
): Table {
  const columns = `${key} ${rest}`.trim().split(" ");
  return { name, key: key.split(" "), columns, refers: [], numbered: false, ...more };
}

const ofThread = ["thread_id", "threads"] as const;

export const tables: readonly Table[] = [
  table(
    "threads",
    "thread_id",
    "run_id task_id subject created_by assigned_to addressed_to status priority max_attempts latest_message_id created_at updated_at",
    { numbered: true },
  ),
  table(
    "messages",
    "message_id",
    "thread_id from_agent to_agent kind summary body payload_json created_at acked_at acked_by verified correlation_id reply " +
      "task_id expires_at delivery_id hidden_until manual lapses handed first_handed_at dead_at dead_reason",
    { numbered: true, refers: [ofThread] },
  ),
  table("artifacts", "artifact_id", "message_id path kind metadata_json created_at", {
    numbered: true,
    refers: [["message_id", "messages"]],
  }),
  table(
    "leases",
    "thread_id",
    "agent_id lease_token attempt claimed_at expires_at released_at lease_seconds",
    {
      refers: [ofThread],
    },
  ),
  table("lost_leases", "thread_id lease_token", "attempt agent_id lost_at taken_by", { refers: [ofThread] }),
  table("thread_reads", "thread_id agent_id", "last_read_message_id last_read_at", {
    refers: [ofThread, ["last_read_message_id", "messages"]],
  }),
  table("agents", "name", "first_seen_at last_seen_at"),
  table("pools", "pool", "created_at"),
  table("pool_members", "agent_id pool", "joined_at"),
  table("readers", "channel reader", "position committed_at"),
  table("pruned", "channel from_id", "to_id"),
  table("idempotency_keys", "sender idempotency_key", "operation input_json result_json created_at"),
  table("tokens", "token_id", "agent_id scope token_hash created_at revoked_at", { numbered: true }),
  table("workspaces", "workspace_id", "path label agent_id created_at session_command"),
  table(
    "entries",
    "entry_number",
    "entry_id workspace_id workspace_label docs_json comments created_at read_at sender kind thread_id message_id " +
      "choices_json answered_at deleted_at",
    { numbered: true },
  ),
  table(
    "tasks",
    "task_number",
    "name parent status prompt profile model cwd timeout_ms priority place retries attempt worker thread_id not_before " +
      "keeper_token leased_until host keeper child folder session token_id killed_by kill_reason created_at started_at finished_at success error in_turn " +
      "permission reason env_json",
    { numbered: true, refers: [ofThread, ["token_id", "tokens"]] },
  ),
  table("task_dependencies", "task_number after_number", "", {
    refers: [
      ["task_number", "tasks"],
      ["after_number", "tasks"],
    ],
  }),
  table("queues", "agent_id", "slots"),
  table("erased_entries", "erased_number", "entry_id entry_number created_at", { numbered: true }),
  table("outbox", "message_id", "agent_id taken_at"),
  table(
    "events",
    "event_id",
    "run_id task_id thread_id source event_type status created_by assigned_to to_agent message_id summary payload_json created_at",
    { numbered: true },
  ),
];

/** The last number that was given in each numbered table. */
export type Numbers = Record<string, number>;

/** What copying a bus needs of an engine beyond its port. */
export interface Copying {
  /** The same for two locations only if they are the same bus. */
  place(location: string, engine: Engine): Promise<string>;
  numbers(): Procedure<Numbers>;
  /** From now on only greater ones are given. Never lowers one. */
  raise(numbers: Numbers): Procedure<void>;
}

/** The address of the hub that supervised last, if one does or did. */
export const newestHub =
  "select hub_url from supervision where hub_url is not null order by leased_until desc limit 1";
