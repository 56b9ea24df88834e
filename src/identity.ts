/** [X2] Who is calling: the token's agent, else what the call itself says. With a token nobody can be anybody else. */
import { InboxError } from "./contract/errors.ts";
import { type AnyOperation, marking } from "./contract/operation.ts";
import { permits, type Scope } from "./contract/token.ts";
import type { EmbeddedInbox } from "./inbox.ts";

export interface Caller {
  agent?: string;
  scope?: Scope;
}

export async function requireOwner(inbox: EmbeddedInbox, token: string): Promise<Caller> {
  const owner = await inbox.owner(token);
  if (!owner) throw new InboxError("unauthenticated", "the token is unknown or was revoked");
  return owner;
}

/** Checks the scope and puts the caller into the field that says who acts. */
export function actAs(caller: Caller, op: AnyOperation, input: Record<string, unknown>): void {
  if (caller.scope !== undefined && !permits(caller.scope, op.scope))
    throw new InboxError(
      "not_allowed",
      `${op.name} needs the scope ${op.scope}; this token has ${caller.scope}`,
    );
  // A reader's position is its own, though reading is everybody's.
  const whose = marking(op, input) ? op.marks?.whose : undefined;
  if (whose !== undefined && caller.agent !== undefined && input[whose] !== caller.agent)
    throw new InboxError(
      "not_allowed",
      `this token speaks for "${caller.agent}", not for the ${whose} "${String(input[whose])}"`,
    );
  const key = op.cli.identity;
  if (key === undefined) return;
  if (caller.agent === undefined) return;
  const named = input[key];
  if (named !== undefined && named !== caller.agent)
    throw new InboxError(
      "not_allowed",
      `this token speaks for "${caller.agent}", not for "${String(named)}"`,
    );
  input[key] = caller.agent;
}
