/** [M2] What nobody has acknowledged yet on a channel. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { waiting } from "../channel.ts";
import { meantBy } from "../name-use.ts";
import { and, visible } from "../visible.ts";

export function* messagesPending(
  tx: Context,
  { channel }: ParsedOf<"messages.pending">,
): Procedure<OutputOf<"messages.pending">> {
  const now = yield* tx.clock();
  const row = yield* one<{ count: number }>(
    sql`select count(*) as count from messages where messages.to_agent = ${channel} and ${waiting(now)} ${and(visible.messages(tx))}`,
  );
  return { channel, count: row!.count, ...(row!.count ? {} : yield* meantBy(tx, channel)) };
}
