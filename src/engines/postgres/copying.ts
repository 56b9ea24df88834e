/** Which server, database and schema this is, however it is called, and the numbers it has given. */
import { all, one, run } from "../../sql/procedure.ts";
import { joined, Sql, sql } from "../../sql/sql.ts";
import type { Copying } from "../tables.ts";

const sequences: Record<string, string> = {
  threads: "threads_thread_id_seq",
  messages: "messages_message_id_seq",
  artifacts: "artifacts_artifact_id_seq",
  tokens: "tokens_token_id_seq",
  entries: "entries_entry_number_seq",
  tasks: "tasks_task_number_seq",
  erased_entries: "erased_entries_erased_number_seq",
  events: "event_numbers",
};
const given = "case when is_called then last_value else last_value - 1 end";

export const copying: Copying = {
  async place(_, engine) {
    // Two servers have not been started in the same microsecond, and one knows its schemas' tables apart.
    const row = await engine.read(() =>
      one<{ place: string }>(sql`
        select concat_ws(' ', 'server', extract(epoch from pg_postmaster_start_time()),
          (select oid from pg_database where datname = current_database()), to_regclass('bus')::oid) as place`),
    );
    return row!.place;
  },

  *numbers() {
    const each = Object.entries(sequences).map(
      ([table, sequence]) => new Sql([`select '${table}' as name, ${given} as last from ${sequence}`], []),
    );
    const rows = yield* all<{ name: string; last: number }>(joined(each, " union all "));
    return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
  },

  *raise(numbers) {
    for (const [table, last] of Object.entries(numbers)) {
      const sequence = sequences[table]!;
      yield* run(
        new Sql(
          [`select setval('${sequence}', `, `::bigint) from ${sequence} where ${given} < `, ""],
          [last, last],
        ),
      );
    }
  },
};
