import type { Procedure } from "../sql/procedure.ts";
import { all } from "../sql/procedure.ts";
import { joined, type Sql, sql } from "../sql/sql.ts";

/** The rows that a table has about these tasks, by the number of the task. */
export function* byTask<Row extends { task_number: number }>(
  table: Sql,
  columns: Sql,
  tasks: readonly { task_number: number }[],
): Procedure<Map<number, Row>> {
  if (!tasks.length) return new Map();
  const found = yield* all<Row>(sql`
    select ${columns} from ${table}
    where ${table}.task_number in (${joined(tasks.map((task) => task.task_number))}) order by ${table}.task_number`);
  return new Map(found.map((row) => [row.task_number, row]));
}
