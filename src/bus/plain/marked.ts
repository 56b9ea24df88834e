/**
 * Finds a write that was one statement and whose answer was lost with the connection. The server cannot be asked about
 * it by the number of its transaction, which came with the answer (engines/postgres/plain.ts). So the write has drawn a number
 * at random, the mark, and has written it to its event.
 */
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { literal, sql } from "../../sql/sql.ts";
import { columnsOf, part, type RowOf } from "../../sql/table.ts";
import { events } from "../../sql/tables.ts";
import { earlierBy } from "../expiry.ts";

/** Safe as a number, and never the same twice within the seconds in which it is looked for. */
export function newMark(): Mark {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2)) as unknown as [number, number];
  return { number: (high % 2 ** 21) * 2 ** 32 + low, drawn: performance.now() };
}

export interface Mark {
  number: number;
  /** When, by this process's own clock. */
  drawn: number;
}

const asked = part(events, "event_id", "mark", "thread_id", "task_id", "message_id", "created_at");
const columns = columnsOf(asked);
export type MarkedEvent = RowOf<typeof asked>;

/** The event was written after the mark was drawn; the server's clock may have been set since. */
const marginMs = 10_000;
const page = 1000;

/** Reads the newest events, back to the time when the mark was drawn. */
export function* markedBy(tx: Context, { number, drawn }: Mark): Procedure<MarkedEvent | undefined> {
  const oldest = earlierBy(performance.now() - drawn + marginMs, yield* tx.clock());
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const rows = yield* all<MarkedEvent>(sql`
      select ${columns} from events where events.event_id < ${before} order by events.event_id desc limit ${literal(page)}`);
    const found = rows.find(({ mark }) => mark === number);
    const last = rows.at(-1);
    if (found || !last || rows.length < page || last.created_at < oldest) return found;
    before = last.event_id;
  }
}
