/**
 * The port between a keeper, which owns a task's process, and the many kinds of agent programs. A runner says how its
 * program is started and parses its output; it starts nothing, and knows no bus and no clock. One file per runner.
 */
import type { Permission } from "../../contract/task.ts";
import type { TranscriptEntry } from "../../contract/transcript.ts";
import type { UsageReport } from "../../contract/usage.ts";

/** What a runner may know of the task. */
export interface Job {
  /** The sub-agent's name. */
  name: string;
  /** Its prompt; if `session` is set, the next message to it. */
  prompt: string;
  model: string | null;
  /** The instructions of the profile. */
  instructions: string | null;
  /** [Q15] What it may do without asking. */
  permission: Permission;
  /** [A8] If permission is "ask": asks whether a tool may be used. */
  ask?(request: PermissionRequest): Promise<PermissionVerdict>;
  /** Where it works. */
  cwd: string;
  /** The folder of this task, for files that a program needs. */
  folder: string;
  /** Our MCP server, as a program to start. The identity is in the environment, which the child passes on. */
  mcp: { command: string; args: readonly string[]; env: Readonly<Record<string, string>> };
  /** The program's own id of the conversation to resume. */
  session?: string;
  /** [A11] What the program had counted for that session before, if it continues counting. */
  counted?: UsageReport | undefined;
  /** [A11] The dollars that it may still spend, for programs that accept a limit. */
  costLeft?: number;
}

/** [A13] Messages for a running sub-agent that end its current turn. */
export interface Interruptions {
  /** Calls back when there is a message, at once if there is one already. Returns a function that stops listening. */
  listen(call: () => void): () => void;
  /** Takes it out of the inbox: the caller passes it on. Undefined if there is none. */
  take(): Promise<string | undefined>;
}

/** [A8] What an agent program would ask its user. */
export interface PermissionRequest {
  tool: string;
  input?: unknown;
  /** What would be changed, if the program says so. */
  diff?: string;
  /** The command that would be run, if the arguments of the tool do not contain it. */
  runs?: string;
  /** The files it is about, in addition to those in its arguments. */
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
   * Written to its standard input, which is then closed. `open` keeps it open for the conversation, which is over
   * when `follow` returns; since not every program exits then, it is ended, and its exit status is ignored. Without
   * it there is no input.
   */
  stdin?: { text: string } | "open";
  /** Written to the task's folder (`Job.folder`) before it starts, by name. */
  files?: Readonly<Record<string, string>>;
  /** Variables in addition to the profile's; these take precedence. */
  env?: Readonly<Record<string, string>>;
}

/** What the program has written. The keeper writes its standard error to the transcript itself. */
export interface Talk {
  stdout: AsyncIterable<Uint8Array>;
  /** Writes to its standard input, if that is open. */
  write(text: string): Promise<void>;
  endInput(): void;
  /** Adds to the transcript. Awaited: a program that prints faster than the disk can write has to wait. */
  note(entry: Omit<TranscriptEntry, "n" | "at">): Promise<void>;
  /** [A13] For runners that cancel a turn; for the others the keeper ends the turn. */
  interruptions: Interruptions;
  /** [A11] What this run of the program has used so far, each time a better number is known. */
  spent(used: UsageReport): void;
  /** The task has to end, by kill or timeout: cancel the turn if the protocol can. The process is ended soon after. */
  signal: AbortSignal;
}

/** The outcome as far as the program reports it. The keeper itself knows its exit status. */
export interface Outcome {
  /** The final message; only its end if it is longer than `finalLimit`. */
  final: string;
  /** [Q5.6] How many bytes of it are missing before that end; undefined or 0 if none. */
  cut?: number;
  /** Why it failed, even if the program has exited with 0. */
  error?: string;
  /** [Q15] Tools it asked for and was refused, as far as the program reports them. */
  refused?: readonly string[];
  /** The id with which a later run resumes the same conversation; undefined if the program cannot. */
  session?: string;
  /** [A11] What this run has used, as the program reported at its end. Undefined: the last value passed to `spent`, if any. */
  used?: UsageReport;
  /** [A11] What it reported for the whole session, if it continues counting when that is resumed. */
  counted?: UsageReport;
  /** [A11] It stopped by itself because it had spent `Job.costLeft`. */
  overBudget?: true;
}

/** Bytes of a final message that are kept in memory and delivered; the transcript has it all. */
export const finalLimit = 512 * 1024;

export interface Runner {
  /** Whether it can resume an earlier conversation (`Job.session`). */
  resumes: boolean;
  /** [A13] Whether `follow` handles interruptions itself, within one run of the program. */
  cancels?: boolean;
  launch(job: Job): Launch;
  /** Follows the program to the end of its output. */
  follow(talk: Talk, job: Job): Promise<Outcome>;
}
