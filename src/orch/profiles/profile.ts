/** [Q8] What `.agents/agents.toml` says about a profile, checked, with the defaults filled in. */
import type { PermissionAsked } from "../../contract/task.ts";
import type { Budget } from "../../contract/usage.ts";
import type { WorktreeAsked } from "../../contract/worktree.ts";

export interface RunnerSettings {
  name: string;
  /** The runner that handles it: `command` for any program. */
  kind: "command" | "claude" | "codex" | "gemini" | "opencode" | "acp";
  /** The program and its arguments; `{prompt} {model} {name} {cwd} {session}` are filled in. Built-in kinds have their own. */
  command: readonly string[];
  /** How the prompt reaches the program if no argument contains `{prompt}`. */
  prompt: "stdin" | "argument";
  /** How a model is selected, for example `["--model", "{model}"]`; left out if the task names none. */
  model: readonly string[];
  /** How its output is read: as it is, or as one JSON object with the final message in a field. */
  output: "text" | "json";
  env: Readonly<Record<string, string>>;
  /** [X12] Further variables that it inherits: names, or prefixes of names followed by `*`. */
  passEnv: readonly string[];
  /** How many of it may run at a time. */
  concurrency: number | null;
  timeoutSeconds: number | null;
  retries: number;
  /** The command that opens an earlier conversation again, with `{session}`. */
  resume: readonly string[] | null;
  /** [Q15] What a sub-agent may do without asking. */
  permission: PermissionAsked;
  /** [A11] Whether a command reports its usage, in its JSON or by `orch report`. */
  reportsUsage: boolean;
}

export interface Profile {
  name: string;
  runner: RunnerSettings;
  model: string | null;
  instructions: string | null;
  /** [Q15] Null if the program does not ask for permissions: it can do what its user can. */
  permission: PermissionAsked | null;
  /** [A11] What a task of it may use, unless the task says otherwise. */
  budget: Budget | null;
  /** [Q12] Runs when a task ends; exit 2 refuses the result. */
  gate: readonly string[] | null;
  /** The same for a worker of a pool that becomes idle. */
  gateIdle: readonly string[] | null;
  /** [A8] Who is asked if permission is "ask", and after how many seconds without an answer the use is denied. */
  ask: "user" | "parent";
  askTimeoutSeconds: number;
  /** [A12] The profile that reviews its tasks, and the maximum number of reviews. */
  review: string | null;
  reviewRounds: number;
  /** [A1] Whether its tasks get a worktree of their own, unless a task says otherwise. */
  worktree: WorktreeAsked;
  /** Runs in a new worktree, before the sub-agent is started. */
  prepare: readonly string[] | null;
  /** Files and folders of the checkout that a worktree has links to. */
  share: readonly string[];
  /** [A2] Must succeed on the result of a merge before the branch moves. */
  check: readonly string[] | null;
}

/** The settings at the top of the file, for all profiles. */
export type Usual = Pick<
  Profile,
  "worktree" | "prepare" | "share" | "check" | "ask" | "askTimeoutSeconds" | "review" | "reviewRounds"
>;

export interface Profiles {
  /** The profile that is used if none is named. */
  default: string | null;
  /** How many sub-agents may run at a time, of all profiles. */
  maxRunning: number;
  /** [Q9] How long the transcript of a task can be. */
  maxTranscriptMib: number;
  /** What holds for tasks without a profile of the file. */
  usual: Usual;
  all: ReadonlyMap<string, Profile>;
}
