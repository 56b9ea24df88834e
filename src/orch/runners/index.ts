/** Which runner understands which kind of program. */
import type { RunnerSettings } from "../profile.ts";
import { bounded } from "./bounded.ts";
import { claudeRunner } from "./claude.ts";
import { codexRunner } from "./codex.ts";
import { commandRunner } from "./command.ts";
import type { Runner } from "./runner.ts";

const makers: Record<RunnerSettings["kind"], (settings: RunnerSettings) => Runner> = {
  command: commandRunner,
  claude: claudeRunner,
  codex: codexRunner,
  gemini: commandRunner,
  opencode: commandRunner,
  acp: commandRunner,
};

export const runnerFor = (settings: RunnerSettings): Runner => bounded(makers[settings.kind](settings));
