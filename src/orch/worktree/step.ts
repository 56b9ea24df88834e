/** A command of the profile that must succeed before the next step: `prepare` and `check`. */
import { plural } from "../../contract/plural.ts";
import { type CommandPlace, runCommand } from "../run-command.ts";

/** A command that takes too long has failed. */
export type Step = CommandPlace;

export interface StepEnd {
  ok: boolean;
  /** The command, how it ended, and the end of its output. */
  error: string;
  output: string;
}

/** Bytes of output that are reported. */
const outputLimit = 16 * 1024;

export async function runStep(command: readonly string[], step: Step): Promise<StepEnd> {
  const shown = command.join(" ");
  try {
    const { code, late, output } = await runCommand(command, step, { keeps: "both", limit: outputLimit });
    const how = late
      ? `exceeded its timeout of ${plural(step.limitMs! / 1000, "second")}`
      : code === null
        ? "was killed"
        : `exited with status ${code}`;
    return { ok: code === 0 && !late, error: `${shown} ${how}`, output };
  } catch (error) {
    return { ok: false, error: `${shown} could not be started: ${(error as Error).message}`, output: "" };
  }
}
