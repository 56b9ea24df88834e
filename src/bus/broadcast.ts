/** [M12] Whom a message to `*` reaches: everybody who is known but its sender, the person, and sub-agents that have ended. */
import type { Procedure } from "../sql/procedure.ts";
import { all } from "../sql/procedure.ts";
import { fragment, sql } from "../sql/sql.ts";
import { hasGone } from "./task.ts";

export const everybody = "*";

export function* addressees(to: string, sender: string): Procedure<string[]> {
  if (to !== everybody) return [to];
  const rows = yield* all<{ name: string }>(sql`
    select agents.name from agents where agents.name not in (${sender}, 'user')
      and not ${hasGone(fragment`agents.name`)} order by agents.name`);
  return rows.map((row) => row.name);
}
