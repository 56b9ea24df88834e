/** `inbox setup`: shows what would change, asks whoever is there, and only then has it written. */
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf } from "../../contract/operations/index.ts";
import { runLocal } from "../../local.ts";
import type { Asked } from "../../location.ts";
import { fs } from "../../system.ts";
import { safe } from "../text/safe.ts";
import type { CommandInput } from "./input.ts";
import { complain, print } from "./output.ts";

type Output = OutputOf<"bus.setup">;

export async function runSetup(asked: Asked, { input, label }: CommandInput, json: boolean): Promise<Output> {
  const plan = await runLocal("bus.setup", asked, input, label);
  if (!plan.changed || plan.written) return plan;
  const { isatty } = require("node:tty") as typeof import("node:tty");
  if (json || !isatty(0) || !isatty(1)) {
    if (!json) await print(safe(plan.diff));
    throw new InboxError("not_allowed", `setup would change ${plan.file}, and nobody is here to agree`, {
      hint: "nothing was written; look at the diff, and add --yes",
      details: { ...plan },
    });
  }
  await print(safe(plan.diff));
  complain(`Write ${safe(plan.file)}? [y/N] `);
  if (!/^y(es)?$/i.test(answerLine())) return plan;
  // What is written is what was shown.
  const again = await runLocal("bus.setup", asked, input, label);
  if (again.diff !== plan.diff)
    throw new InboxError("conflict", `${plan.file} was changed by another program in the meantime`, {
      hint: "nothing was written; run this again",
    });
  return { ...(await runLocal("bus.setup", asked, { ...input, yes: true }, label)), diff: "" };
}

function answerLine(): string {
  const byte = new Uint8Array(1);
  let line = "";
  while (fs().readSync(0, byte, 0, 1, null) === 1 && byte[0] !== 10) line += String.fromCharCode(byte[0]!);
  return line.trim();
}
