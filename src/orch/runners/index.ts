/** Which runner understands which kind of program. */
import type { RunnerSettings } from "../profile.ts";
import { bounded } from "./bounded.ts";
import { commandRunner } from "./command.ts";
import type { Runner } from "./runner.ts";

const makers: Record<RunnerSettings["kind"], (settings: RunnerSettings) => Runner> = {
  command: commandRunner,
  claude: commandRunner,
  codex: commandRunner,
  gemini: commandRunner,
  opencode: commandRunner,
  acp: commandRunner,
};

export const runnerFor = (settings: RunnerSettings): Runner => bounded(makers[settings.kind](settings));
