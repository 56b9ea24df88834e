/** `inbox trust`: shows what would be run, asks for confirmation, and approves what was shown. */

import { runLocal } from "../../admin/operations.ts";
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Asked } from "../../location/locate.ts";
import { render } from "../text/render.ts";
import type { CommandInput } from "./input.ts";
import { complain, paintFor } from "./output.ts";
import { agrees, isAtTerminal } from "./question.ts";
import { typing } from "./typing.ts";

type Output = OutputOf<"bus.trust">;

export async function runTrust(asked: Asked, { input }: CommandInput, json: boolean): Promise<Output> {
  const plan = await runLocal("bus.trust", asked, input);
  if (input.yes || input.revoke || plan.trusted) return plan;
  const approved = !json && isAtTerminal() ? await shownAndAsked(asked, plan) : undefined;
  if (approved) return approved;
  const asking = !json && isAtTerminal();
  if (!json && !asking) show(plan);
  throw new InboxError("not_allowed", `${plan.db} was not approved: nothing was changed`, {
    hint: asking ? "inbox trust asks again" : "check what would be run, and add --yes",
    details: { ...plan },
  });
}

/**
 * [X7] The approval that a command needs before it can start programs: undefined if there is no terminal to ask on,
 * or the answer was no.
 */
export async function offerTrust(asked: Asked, json: boolean): Promise<Output | undefined> {
  if (json || !isAtTerminal()) return undefined;
  return shownAndAsked(asked, await runLocal("bus.trust", asked, {}));
}

async function shownAndAsked(asked: Asked, plan: Output): Promise<Output | undefined> {
  show(plan);
  if (!agrees("Trust this bus and allow it to start these programs?")) return undefined;
  return runLocal("bus.trust", asked, { yes: true, digest: plan.digest });
}

const show = (plan: Output) => complain(`${render("bus.trust", plan, paintFor(2), typing)}\n`);
