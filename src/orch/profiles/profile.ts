/** [Q8] What `.agents/agents.toml` says of a kind of agent, checked and with the defaults in. */
import type { PermissionAsked } from "../../contract/task.ts";
import type { Budget } from "../../contract/usage.ts";
import type { WorktreeAsked } from "../../contract/worktree.ts";

export interface RunnerSettings {
  name: string;
  /** Which runner understands it: `command` for any program. */
  kind: "command" | "claude" | "codex" | "gemini" | "opencode" | "acp";
  /** The program and its arguments; `{prompt} {model} {name} {cwd} {session}` are put in. Built-in kinds know theirs. */
  command: readonly string[];
  /** How the prompt reaches the program, where no argument holds `{prompt}`. */
  prompt: "stdin" | "argument";
  /** How a model is chosen, for example `["--model", "{model}"]`; left out where the task names none. */
  model: readonly string[];
  /** How its output is read: as it is, or as one JSON object with the final message in a field. */
  output: "text" | "json";
  env: Readonly<Record<string, string>>;
  /** [X12] Further variables that it inherits: names, or beginnings of names with a `*` behind. */
  passEnv: readonly string[];
  /** How many of it run at a time. */
  concurrency: number | null;
  timeoutSeconds: number | null;
  retries: number;
  /** The command that opens an earlier conversation again, with `{session}`. */
  resume: readonly string[] | null;
  /** [Q15] What a sub-agent may do without asking. */
  permission: PermissionAsked;
  /** [A11] Whether a command says what it uses, in its JSON or by `orch report`. */
  reportsUsage: boolean;
}

export interface Profile {
  name: string;
  runner: RunnerSettings;
  model: string | null;
  instructions: string | null;
  /** [Q15] Null where nobody is asked: any program does what its user may. */
  permission: PermissionAsked | null;
  /** [A11] What a task of it may use, unless the task says otherwise. */
  budget: Budget | null;
  /** [Q12] Runs when a task ends; exit 2 refuses the end. */
  gate: readonly string[] | null;
  /** The same for a pool worker that goes idle. */
  gateIdle: readonly string[] | null;
  /** [A8] Who is asked where permission is "ask", and after how long that is a deny. */
  ask: "user" | "parent";
  askTimeoutSeconds: number;
  /** [A12] The profile of a reviewer of what its tasks have done, and how many reviews there are at most. */
  review: string | null;
  reviewRounds: number;
  /** [A1] Whether its tasks get a worktree of their own, unless a task says otherwise. */
  worktree: WorktreeAsked;
  /** Runs in a new worktree, before the sub-agent is started. */
  prepare: readonly string[] | null;
  /** Files and folders of the checkout that a worktree has links to. */
  share: readonly string[];
  /** [A2] Has to succeed on what a merge has made, before the branch moves. */
  check: readonly string[] | null;
}

/** What the top of the file can say for all profiles. */
export type Usual = Pick<
  Profile,
  "worktree" | "prepare" | "share" | "check" | "ask" | "askTimeoutSeconds" | "review" | "reviewRounds"
>;

export interface Profiles {
  /** The one that is meant where nobody names one. */
  default: string | null;
  /** How many sub-agents run at a time, of all kinds. */
  maxRunning: number;
  /** [Q9] How long the transcript of a task can be. */
  maxTranscriptMib: number;
  /** What holds for tasks without a profile of the file. */
  usual: Usual;
  all: ReadonlyMap<string, Profile>;
}
