/**
 * The port between a keeper, which owns a task's process, and the many kinds of agent programs. A runner says how its
 * program is started and understands what it prints; it starts nothing, knows no bus and no clock. One file a runner.
 */
import type { Permission } from "../../contract/task.ts";
import type { TranscriptEntry } from "../../contract/transcript.ts";
import type { UsageReport } from "../../contract/usage.ts";

/** What a runner may know of the task. */
export interface Job {
  /** The sub-agent's name. */
  name: string;
  /** What it is to do; where `session` is set, what it is told next. */
  prompt: string;
  model: string | null;
  /** What the profile tells every agent of its kind. */
  instructions: string | null;
  /** [Q15] What it may do without asking. */
  permission: Permission;
  /** [A8] Where permission is "ask": whether it may. */
  ask?(request: PermissionRequest): Promise<PermissionVerdict>;
  /** Where it works. */
  cwd: string;
  /** A folder of this task's own, for files a program wants to be given. */
  folder: string;
  /** Our MCP server, as a program to start. The identity is in the environment, which the child hands down. */
  mcp: { command: string; args: readonly string[]; env: Readonly<Record<string, string>> };
  /** The program's own name for a conversation that is to go on. */
  session?: string;
  /** [A11] What the program had counted for that session before, where it counts on. */
  counted?: UsageReport | undefined;
  /** [A11] Dollars that it may still spend, for programs that can be told. */
  costLeft?: number;
}

/** [A13] What a running sub-agent is to be told at once, instead of at the end of its turn. */
export interface Interruptions {
  /** Calls when there is something, also if that is so already. Answers with how to stop listening. */
  listen(call: () => void): () => void;
  /** Takes it out of the inbox: whoever calls tells it. Undefined where there is nothing. */
  take(): Promise<string | undefined>;
}

/** [A8] What an agent program would ask its user. */
export interface PermissionRequest {
  tool: string;
  input?: unknown;
  /** What would be changed, where the program says. */
  diff?: string;
  /** What would be run, of a tool that runs commands and does not say it in its arguments. */
  runs?: string;
  /** The files it is about, beside those in its arguments. */
  paths?: readonly string[];
}

export interface PermissionVerdict {
  allowed: boolean;
  why?: string;
}

/** How the program is started: an argument array, never a shell. */
export interface Launch {
  argv: readonly string[];
  /**
   * Written to its standard input, which is then closed. `open` keeps it for the conversation: that is over when `follow`
   * returns, and since not every program ends by itself then, it is ended, however it takes that. Without it there is no input.
   */
  stdin?: { text: string } | "open";
  /** Written to the task's folder (`Job.folder`) before it starts, by name. */
  files?: Readonly<Record<string, string>>;
  /** Beside what the profile says, and before it. */
  env?: Readonly<Record<string, string>>;
}

/** What the program wrote. The keeper has its standard error in the transcript by itself. */
export interface Talk {
  stdout: AsyncIterable<Uint8Array>;
  /** To its standard input, where that is open. */
  write(text: string): Promise<void>;
  endInput(): void;
  /** Adds to the transcript. Awaited: a program that prints faster than the disk takes it has to wait. */
  note(entry: Omit<TranscriptEntry, "n" | "at">): Promise<void>;
  /** [A13] For runners that cancel a turn; the turns of others are ended for them. */
  interruptions: Interruptions;
  /** [A11] What this run of the program has used so far, each time it is known better. */
  spent(used: UsageReport): void;
  /** The task is to end, by kill or timeout: say goodbye if the protocol has a word for it. The process ends soon after. */
  signal: AbortSignal;
}

/** What came of it, as far as the program said. That it ended with a status other than 0 the keeper knows by itself. */
export interface Outcome {
  /** The final message; the end of it where it is longer than `finalLimit`. */
  final: string;
  /** Why it is a failure though the program may have ended well. */
  error?: string;
  /** [Q15] Tools it asked for and was refused, as far as the program tells. */
  refused?: readonly string[];
  /** By which a later run goes on with the same conversation; none where the program cannot. */
  session?: string;
  /** [A11] What this run has used, as the program said at its end. Undefined: what was last told by `spent`, if anything. */
  used?: UsageReport;
  /** [A11] What it said of the whole session, where it counts on when that is resumed. */
  counted?: UsageReport;
  /** [A11] It stopped by itself because it had spent `Job.costLeft`. */
  overBudget?: true;
}

/** Bytes of a final message that are kept in memory and delivered; the transcript has it all. */
export const finalLimit = 512 * 1024;

export interface Runner {
  /** Whether it can go on with an earlier conversation (`Job.session`). */
  resumes: boolean;
  /** [A13] Whether `follow` heeds interruptions by itself, within one run of the program. */
  cancels?: boolean;
  launch(job: Job): Launch;
  /** Follows the program to the end of its output. */
  follow(talk: Talk, job: Job): Promise<Outcome>;
}
