/**
 * The threads that are assigned to an agent, by their numbers. Their index has status and rank before the number, so each
 * pair of these is a walk of its own, and the walks are merged. An index without them would be one more page to write
 * for every new thread.
 */
import { priorities, type Status, statuses } from "../contract/thread.ts";
import { fragment, joined, type Sql, sql } from "../sql/sql.ts";
import type { Walked } from "../sql/walk.ts";

const [assigned, status, rank] = [
  fragment`threads.assigned_to`,
  fragment`threads.status`,
  fragment`threads.priority_rank`,
];

export const threadNumber = fragment`threads.thread_id`;

/** The order of a walk of threads, from its end. */
export const newestFirst = (by: Walked["by"]): Sql =>
  joined([...by.map(({ column }) => column), threadNumber].map((column) => sql`${column} desc`));

export const walksOfAssigned = (agent: string, among: readonly Status[] = statuses): Walked["by"][] =>
  among.flatMap((one) =>
    priorities.map((_, place) => [
      { column: assigned, value: agent },
      { column: status, value: one },
      { column: rank, value: place },
    ]),
  );
