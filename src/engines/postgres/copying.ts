/** Identifies server, database and schema, whatever the address, and reads and raises the sequences. */
import { all, one, run } from "../../sql/procedure.ts";
import { joined, Sql, sql } from "../../sql/sql.ts";
import { type Copying, tables } from "../tables.ts";

/** The sequence of each numbered table. */
const sequences: Record<string, string> = {
  ...Object.fromEntries(
    tables
      .filter(({ columns, key }) => columns[key[0]!]!.facts.numbered)
      .map(({ name, key }) => [name, `${name}_${key[0]}_seq`]),
  ),
  events: "event_numbers",
};
const given = "case when is_called then last_value else last_value - 1 end";

export const copying: Copying = {
  async place(_, engine) {
    // No two servers were started in the same microsecond, and on one server the tables of two schemas have different oids.
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
