/** [M3] [U15] Who reads a channel, and how far each has come. */
import { mailLimit } from "../../contract/mail.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { literal, sql } from "../../sql/sql.ts";
import { eitherMessages } from "../../sql/walk.ts";
import { unexpired } from "../channel.ts";
import { meantBy } from "../name-use.ts";
import { and, visible } from "../visible.ts";

/** The maximum number of readers that are listed. */
const readerLimit = 1000;

export function* messagesReaders(
  tx: Context,
  { channel }: ParsedOf<"messages.readers">,
): Procedure<OutputOf<"messages.readers">> {
  const now = yield* tx.clock();
  const rows = yield* all<{ reader: string; position: number; committed_at: string; behind: number }>(sql`
    select readers.reader, readers.position, readers.committed_at,
      (select count(*) from (select 1 from ${eitherMessages} where messages.to_agent = readers.channel
        and messages.message_id > readers.position and ${unexpired(now)} ${and(visible.messages(tx))} limit ${literal(mailLimit)}) as page) as behind
    from readers where readers.channel = ${channel} order by readers.reader limit ${literal(readerLimit)}`);
  return {
    channel,
    readers: rows.map(({ committed_at, ...row }) => ({ ...row, committedAt: committed_at })),
    ...(rows.length ? {} : yield* meantBy(tx, channel)),
  };
}
