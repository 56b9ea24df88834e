/** The runner of each kind of program. */
import type { RunnerSettings } from "../profiles/profile.ts";
import { acpRunner } from "./acp.ts";
import { bounded } from "./bounded.ts";
import { claudeRunner } from "./claude.ts";
import { codexRunner } from "./codex.ts";
import { commandRunner } from "./command.ts";
import { geminiRunner } from "./gemini.ts";
import { opencodeRunner } from "./opencode.ts";
import type { Runner } from "./runner.ts";

const makers: Record<RunnerSettings["kind"], (settings: RunnerSettings) => Runner> = {
  command: commandRunner,
  claude: claudeRunner,
  codex: codexRunner,
  gemini: geminiRunner,
  opencode: opencodeRunner,
  acp: acpRunner,
};

export const runnerFor = (settings: RunnerSettings): Runner => bounded(makers[settings.kind](settings));
