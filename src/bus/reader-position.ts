/** [M3] How far a reader has read a channel. It moves only when the reader says so. */
import type { Context, Procedure } from "../sql/procedure.ts";
import { one } from "../sql/procedure.ts";
import { sql } from "../sql/sql.ts";
import { insert, overwriting } from "../sql/table.ts";
import { readers } from "../sql/tables.ts";
import { append } from "./event.ts";
import { admitName } from "./names.ts";

export function* positionOf(channel: string, reader: string): Procedure<number | undefined> {
  const row = yield* one<{ position: number }>(sql`
    select readers.position from readers where readers.channel = ${channel} and readers.reader = ${reader}`);
  return row?.position;
}

const overwritten = overwriting(readers);

export function* commitReader(
  tx: Context,
  { channel, reader, position }: { channel: string; reader: string; position: number },
): Procedure<void> {
  const now = yield* tx.clock();
  yield* admitName(channel);
  yield* admitName(reader);
  const moved = yield* one(sql`
    ${insert(readers, { channel, reader, position, committed_at: now })} ${overwritten}
    where readers.position < excluded.position returning position`);
  if (moved)
    yield* append(tx, { type: "reader.committed", source: reader, payload: { channel, position }, now });
}
