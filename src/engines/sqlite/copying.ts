/** The identity of a file, whatever its path, and the numbers it has used. */

import { fs } from "../../platform/system.ts";
import { all, run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import type { Copying } from "../tables.ts";

export const copying: Copying = {
  async place(path) {
    const { dev, ino } = fs().statSync(path);
    return `file ${dev}:${ino}`;
  },

  *numbers() {
    const rows = yield* all<{ name: string; seq: number }>(sql`select name, seq from sqlite_sequence`);
    return Object.fromEntries(rows.map(({ name, seq }) => [name, seq]));
  },

  *raise(numbers) {
    for (const [name, last] of Object.entries(numbers)) {
      yield* run(sql`update sqlite_sequence set seq = max(seq, ${last}) where name = ${name}`);
      // A table that never had a row is not listed there yet.
      yield* run(sql`
        insert into sqlite_sequence (name, seq)
        select ${name}, ${last} where not exists (select 1 from sqlite_sequence where name = ${name})`);
    }
  },
};
