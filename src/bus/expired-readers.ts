/** [M7] [N4] Stored readers that cannot continue, because the messages after their position were deleted. */
import type { Context, Procedure } from "../sql/procedure.ts";
import { all } from "../sql/procedure.ts";
import { sql } from "../sql/sql.ts";
import { eitherMessages } from "../sql/walk.ts";
import { unexpired } from "./channel.ts";
import { commitReader } from "./reader-position.ts";

export interface ExpiredReader {
  channel: string;
  reader: string;
  position: number;
  /** The position from which it can continue. */
  next: number;
}

/** A reader that still has messages before the deleted range reads these first. */
export function* expiredReaders(tx: Context): Procedure<ExpiredReader[]> {
  const now = yield* tx.clock();
  const rows = yield* all<ExpiredReader & { from_id: number }>(sql`
    select readers.channel, readers.reader, readers.position, pruned.to_id as next, pruned.from_id from readers
      join pruned on pruned.channel = readers.channel and pruned.to_id > readers.position
    where readers.position > 0 and not exists (
      select 1 from ${eitherMessages} where messages.to_agent = readers.channel and messages.message_id > readers.position
        and messages.message_id < pruned.from_id and ${unexpired(now)})
    order by readers.channel, readers.reader, pruned.from_id`);
  // Deleted ranges without a message between them are skipped together.
  const last = new Map(rows.map((row) => [JSON.stringify([row.channel, row.reader]), row]));
  return [...last.values()].map(({ channel, reader, position, next }) => ({
    channel,
    reader,
    position,
    next,
  }));
}

export function* moveReader(tx: Context, { channel, reader, next }: ExpiredReader): Procedure<void> {
  yield* commitReader(tx, { channel, reader, position: next });
}
