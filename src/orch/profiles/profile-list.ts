/** [Q8] Which profile a task gets, and which programs are installed. */
import { delimiter, join } from "node:path";
import { InboxError } from "../../contract/errors.ts";
import { call, phrase } from "../../contract/phrase.ts";
import { didYouMean } from "../../contract/suggest.ts";
import type { PermissionAsked } from "../../contract/task.ts";
import type { Reported } from "../../contract/usage.ts";
import { bun } from "../../platform/runtime.ts";
import { fs } from "../../platform/system.ts";
import { builtIns, wayToGet } from "./built-in.ts";
import type { Profile, Profiles, RunnerSettings } from "./profile.ts";
import { reportedBy } from "./reported.ts";

export interface ProfileLine {
  name: string;
  runner: string;
  model: string | null;
  permission: PermissionAsked | null;
  /** [A13] */
  interrupts: Interrupts | null;
  reports: Reported;
  installed: boolean;
  /** Its path, or what was looked for. */
  program: string;
  /** How to install it if it is missing. */
  hint: string | null;
}

/** Where a program is on a search path, if it can be run. */
export function placeOf(program: string, path: string): string | null {
  if (bun) return bun.which(program, { PATH: path });
  const places = program.includes("/")
    ? [program]
    : path.split(delimiter).map((folder) => join(folder || ".", program));
  return places.find(canRun) ?? null;
}

function canRun(path: string): boolean {
  try {
    fs().accessSync(path, fs().constants.X_OK);
    return fs().statSync(path).isFile();
  } catch {
    return false;
  }
}

type Interrupts = "cancel" | "resume";

/**
 * [A13] How the turn of a running program is ended so that it continues with something else: it is told to cancel, or
 * it is stopped and its conversation is resumed. Null if it can do neither.
 */
export function interruptsBy({ kind, resume }: RunnerSettings): Interrupts | null {
  if (kind === "acp" || kind === "gemini") return "cancel";
  return kind !== "command" || resume !== null ? "resume" : null;
}

export function describeProfiles(profiles: Profiles, path: string): ProfileLine[] {
  return [...profiles.all.values()].map(({ name, runner, model, permission }) => {
    const wanted = runner.command[0]!;
    const place = placeOf(wanted, path);
    return {
      name,
      runner: runner.name,
      model,
      permission,
      interrupts: interruptsBy(runner),
      reports: reportedBy(runner),
      installed: place !== null,
      program: place ?? wanted,
      hint: place === null ? wayToGet(runner) : null,
    };
  });
}

/** The one that was asked for, else the file's default, else the first built-in one that is installed. */
export function chooseProfile(profiles: Profiles, wanted: string | undefined, path: string): Profile {
  const named = wanted ?? profiles.default;
  if (named !== null) {
    const profile = profiles.all.get(named);
    if (profile) return profile;
    throw new InboxError("invalid_input", `there is no profile ${JSON.stringify(named)}`, {
      hint:
        didYouMean(named, profiles.all.keys()) ||
        phrase`the profiles are ${[...profiles.all.keys()].join(", ")}; ${call("tasks.profiles")} shows details`,
    });
  }
  for (const name of Object.keys(builtIns)) {
    const profile = profiles.all.get(name);
    if (profile && placeOf(profile.runner.command[0]!, path) !== null) return profile;
  }
  throw new InboxError(
    "invalid_input",
    `no agent program is configured, and none of ${Object.keys(builtIns).join(", ")} is installed`,
    {
      hint: `install one, for example ${builtIns.claude.get}; or configure your own program in .agents/agents.toml: default = "mine" and [runners.mine] command = ["prog", "{prompt}"]`,
    },
  );
}
