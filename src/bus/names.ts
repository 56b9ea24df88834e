/** [X11] Names are checked here when they are first used; some are reserved. */
import { InboxError } from "../contract/errors.ts";
import { lookOf, newNameHint, newNameProblem, shownName } from "../contract/names.ts";
import type { Procedure } from "../sql/procedure.ts";
import { all, one } from "../sql/procedure.ts";
import { sql } from "../sql/sql.ts";
import { eitherMessages } from "../sql/walk.ts";

/** Refuses a new name that could be mistaken for another. A name that is already in use stays valid. */
export function* admitName(name: string): Procedure<void> {
  const problem = newNameProblem(name);
  if (problem === undefined || (yield* isThere(name))) return;
  throw new InboxError("invalid_input", `the name ${shownName(name)} ${problem}`, {
    hint: newNameHint(name),
  });
}

/** In any role that a name can have: a database may contain names from before this rule. */
function* isThere(name: string): Procedure<boolean> {
  const there = yield* one(sql`
    select 1 as there from agents where agents.name = ${name}
    union all select 1 from ${eitherMessages} where messages.to_agent = ${name}
    union all select 1 from tasks where tasks.name = ${name}
    union all select 1 from pool_members where pool_members.pool = ${name}
    union all select 1 from workspaces where workspaces.agent_id = ${name}
    union all select 1 from readers where readers.channel = ${name} or readers.reader = ${name} limit 1`);
  return there !== undefined;
}

interface Owned {
  agent_id: string;
  what: string;
}

/**
 * The owner of this name, or of one that looks like it: the agent of a token or of a workspace. A token that was lent
 * to a sub-agent does not count: its name is free when it ends.
 */
export function* ownerOf(name: string): Procedure<Owned | undefined> {
  const given = yield* all<Owned>(sql`
    select tokens.agent_id, 'a token' as what from tokens where tokens.revoked_at is null
      and not exists (select 1 from tasks where tasks.status <> 'finished' and tasks.token_id = tokens.token_id)
    union select workspaces.agent_id, 'a workspace' from workspaces order by 1, 2`);
  const look = lookOf(name);
  const exact = given.find(({ agent_id }) => agent_id === name);
  return exact ?? given.find(({ agent_id }) => lookOf(agent_id) === look);
}
