/** Inboxes with waiting mail: those of agents, and those of names that nobody has used yet. */
import { mailLimit } from "../contract/mail.ts";
import { statsLimit } from "../contract/stats.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { all } from "../sql/procedure.ts";
import { fragment, literal, sql } from "../sql/sql.ts";
import { messagesTo, oldestMessages } from "../sql/walk.ts";
import { waiting } from "./channel.ts";
import { isTopic } from "./visible.ts";

/** The maximum number of inboxes to look into. */
export const inboxLimit = 1000;

export interface InboxWithMail {
  name: string;
  mail: number;
  /** The number of its oldest message. */
  oldest: number;
}

const found = fragment`found.name`;

const owners = {
  agents: sql`exists (select 1 from agents where agents.name = ${found})`,
  /** A topic with a stored reader is read. */
  nobody: sql`${isTopic(found)} and not exists (select 1 from readers where readers.channel = ${found})`,
};

/** Found from name to name in the index, and counted up to a limit: the table is not read as a whole. */
export function* inboxesOf(tx: Context, owner: keyof typeof owners, now: string): Procedure<InboxWithMail[]> {
  const rows = yield* all<{ name: string; mail: number; oldest: number | null }>(sql`
    with recursive names (name) as (
      select min(messages.to_agent) from messages where messages.acked_at is null and messages.dead_at is null
      union all
      select (select min(messages.to_agent) from messages
        where messages.to_agent > names.name and messages.acked_at is null and messages.dead_at is null)
      from names where names.name is not null
    )
    select found.name,
      (select count(*) from (select 1 from messages where messages.to_agent = found.name and ${waiting(now)}
        limit ${literal(mailLimit)}) as page) as mail,
      (select messages.message_id from messages where ${messagesTo(tx, found)} and ${waiting(now)}
        ${oldestMessages} limit 1) as oldest
    from (select names.name from names where names.name is not null limit ${literal(inboxLimit)}) as found
    where ${owners[owner]} order by found.name`);
  return rows.flatMap(({ oldest, ...row }) => (oldest === null ? [] : [{ ...row, oldest }]));
}

/** Those with the most mail, first. */
export const mostMail = (inboxes: readonly InboxWithMail[]) =>
  inboxes.toSorted((a, b) => b.mail - a.mail || a.oldest - b.oldest).slice(0, statsLimit);

export const mailIn = (inboxes: readonly InboxWithMail[]) => inboxes.reduce((sum, { mail }) => sum + mail, 0);
