/** [A7] Reading the audit trail. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one } from "../../sql/procedure.ts";
import { literal, nothing, sql } from "../../sql/sql.ts";
import { columnsOf, type RowOf } from "../../sql/table.ts";
import { audit } from "../../sql/tables.ts";
import { recipientOf } from "../name-use.ts";

const columns = columnsOf(audit);

export function* auditList(
  tx: Context,
  { after, limit, agent }: ParsedOf<"audit.list">,
): Procedure<OutputOf<"audit.list">> {
  const of = agent === undefined ? nothing : sql`and audit.agent_id = ${agent}`;
  const rows = yield* all<RowOf<typeof audit>>(sql`
    select ${columns} from audit where audit.audit_id > ${after} ${of} order by audit.audit_id limit ${literal(limit + 1)}`);
  const records = rows.slice(0, limit).map((row) => ({
    number: row.audit_id,
    at: row.at,
    action: row.action,
    question: row.question,
    agent: row.agent_id,
    to: row.to_agent,
    choice: row.choice,
    text: row.text,
    surface: row.surface,
    verified: row.verified === 1,
    task: row.task,
  }));
  if (records.length) return { records, hasMore: rows.length > limit };
  const newest = yield* one<{ last: number | null }>(
    sql`select max(audit.audit_id) as last from audit where audit.audit_id > 0 ${of}`,
  );
  return {
    records,
    hasMore: false,
    ...(agent !== undefined && { of: yield* recipientOf(tx, agent, { strict: false }) }),
    ...(newest?.last != null && { last: newest.last }),
  };
}
