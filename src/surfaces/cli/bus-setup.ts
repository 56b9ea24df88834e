/** `inbox setup`: shows what would change, asks for confirmation, and only then writes it. */

import { runLocal } from "../../admin/operations.ts";
import { InboxError } from "../../contract/errors.ts";
import { parseInput } from "../../contract/operation.ts";
import { busSetup } from "../../contract/operations/bus-setup.ts";
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Asked } from "../../location/locate.ts";
import { safe } from "../text/safe.ts";
import type { CommandInput } from "./input.ts";
import { print } from "./output.ts";
import { agrees, isAtTerminal } from "./question.ts";
import { offerSession } from "./workspace-session.ts";

type Output = OutputOf<"bus.setup">;

export async function runSetup(asked: Asked, command: CommandInput, json: boolean): Promise<Output> {
  const output = await changeFile(asked, command, json);
  const mayAsk = !json && isAtTerminal();
  return { ...output, session: await offerSession(asked, parseInput(busSetup, command.input), mayAsk) };
}

async function changeFile(asked: Asked, { input }: CommandInput, json: boolean): Promise<Output> {
  const plan = await runLocal("bus.setup", asked, input);
  if (!plan.changed || plan.written) return plan;
  if (json || !isAtTerminal()) {
    if (!json) await print(safe(plan.diff));
    throw new InboxError(
      "not_allowed",
      `setup would change ${plan.file}, and there is no terminal to confirm on`,
      {
        hint: "nothing was written; check the diff and add --yes",
        details: { ...plan },
      },
    );
  }
  await print(safe(plan.diff));
  if (!agrees(`Write ${safe(plan.file)}?`)) return plan;
  // What is written is what was shown.
  const again = await runLocal("bus.setup", asked, input);
  if (again.diff !== plan.diff)
    throw new InboxError("conflict", `${plan.file} was changed by another program in the meantime`, {
      hint: "nothing was written; run this again",
    });
  return { ...(await runLocal("bus.setup", asked, { ...input, yes: true })), diff: "" };
}
