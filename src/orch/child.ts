/** One run of an agent program: started in its own process group, followed to its end, with nothing of it left running. */
import { join } from "node:path";
import { InboxError } from "../contract/errors.ts";
import { blank, field, phrase } from "../contract/phrase.ts";
import { withoutTokens } from "../contract/secret.ts";
import { replaceOwn } from "../platform/own-files.ts";
import { identityOf } from "../platform/processes/processes.ts";
import { fs } from "../platform/system.ts";
import type { Tree } from "./find-tree.ts";
import { killBelow } from "./kill-tree.ts";
import { wayToGet } from "./profiles/built-in.ts";
import type { Profile } from "./profiles/profile.ts";
import { placeOf } from "./profiles/profile-list.ts";
import type { Interruptions, Job, Outcome, Runner, Talk } from "./runners/runner.ts";
import { spawnPiped } from "./spawn.ts";
import type { Transcript } from "./transcript.ts";
import { within } from "./within.ts";

/** How one run ended. */
export interface Run {
  outcome: Outcome;
  /** Why it failed. */
  error?: string;
}

export interface Running {
  pid: number;
  /** Known at once: pid, start time, boot. */
  child: string;
  ended: Promise<Run>;
  /** Ends it as Ctrl-C in its terminal would; if it takes too long, it is killed. */
  interrupt(): Promise<void>;
}

/** Bytes of standard error that are reported when a program fails. */
const complaintLimit = 4096;
/** How long a program may take to exit once its conversation is over. */
const goodbyeMs = 2000;
/** How long its output is read after it has exited: a child that keeps the pipe open longer is not waited for. */
const drainMs = 5000;

export interface Start {
  runner: Runner;
  profile: Profile;
  job: Job;
  env: Record<string, string>;
  tree: Tree;
  transcript: Transcript;
  /** [A11] */
  spent: Talk["spent"];
  interruptions: Interruptions;
  signal: AbortSignal;
}

export function startChild(start: Start): Running {
  const { runner, profile, job, env, tree, transcript, spent, interruptions, signal } = start;
  const launch = runner.launch(job);
  for (const [name, text] of Object.entries(launch.files ?? {})) replaceOwn(join(job.folder, name), text);
  const environment = { ...env, ...launch.env };
  const program = findProgram(launch.argv[0]!, profile, job, environment);
  const {
    process: child,
    stdout,
    stderr,
  } = spawnPiped([program, ...launch.argv.slice(1)], {
    argv0: launch.argv[0]!,
    cwd: job.cwd,
    env: environment,
    input: launch.stdin !== undefined,
  });
  const identity = identityOf(child.pid);
  const chunks = stdout[Symbol.asyncIterator]();
  const talk: Talk = {
    stdout: { [Symbol.asyncIterator]: () => ({ next: () => chunks.next() }) },
    write: async (text) => {
      child.stdin?.write(text);
      await child.stdin?.flush();
    },
    endInput: () => void child.stdin?.end(),
    note: async (entry) => transcript.note(entry),
    interruptions,
    spent,
    signal,
  };
  if (typeof launch.stdin === "object") void feed(talk, launch.stdin.text);
  const complaints = listen(stderr, transcript);
  const heard = hear(runner, talk, job);
  const followed = heard.then((outcome) => drained(chunks, outcome));

  /**
   * The runner says when a conversation is over. A program that does not exit then is ended, and its exit status
   * means nothing.
   */
  async function goodbye(): Promise<"over"> {
    await heard;
    await within<unknown>(child.exited, goodbyeMs, undefined);
    return "over";
  }

  async function untilEnd(): Promise<Run> {
    const ends: Promise<unknown>[] = [child.exited];
    if (launch.stdin === "open") ends.push(goodbye());
    const over = (await Promise.race(ends)) === "over";
    // Processes that it has left behind would keep the pipes open, and must not outlive the task.
    await killBelow(tree);
    const outcome = await within(followed, drainMs, { final: "", error: "its output did not end" });
    const said = await within(complaints, drainMs, "");
    const error = outcome.error ?? (over ? undefined : endOf(child.exitCode, child.signalCode));
    return { outcome, ...(error !== undefined && { error: withComplaint(error, said) }) };
  }
  const ended = untilEnd();
  return { pid: child.pid, child: identity, ended, interrupt: () => interruptGroup(child.pid, ended, tree) };
}

async function interruptGroup(pid: number, ended: Promise<unknown>, tree: Tree): Promise<void> {
  try {
    process.kill(-pid, "SIGINT");
  } catch {
    // It has already exited.
  }
  await within<unknown>(ended, goodbyeMs, undefined);
  await killBelow(tree);
}

const hear = (runner: Runner, talk: Talk, job: Job): Promise<Outcome> =>
  runner.follow(talk, job).catch((error) => ({
    final: "",
    error: `its output could not be parsed: ${(error as Error).message}`,
  }));

/** Read to the end of its output, even if the runner needs no more: no process may be blocked on a full pipe. */
async function drained(chunks: AsyncIterator<Uint8Array>, outcome: Outcome): Promise<Outcome> {
  while (!(await chunks.next()).done);
  return outcome;
}

function endOf(code: number | null, signal: string | number | null): string | undefined {
  if (signal !== null) return `it was terminated by ${signal}`;
  return code === 0 ? undefined : `it exited with status ${code}`;
}

const withComplaint = (error: string, said: string) =>
  said === "" || error.includes(said) ? error : `${error}: ${said}`;

async function feed(talk: Talk, text: string) {
  try {
    await talk.write(text);
    talk.endInput();
  } catch {
    // It did not read its input; its exit status tells whether that was a mistake.
  }
}

/** Standard error goes to the transcript; its end explains a failure. */
async function listen(stderr: AsyncIterable<Uint8Array>, transcript: Transcript): Promise<string> {
  const decoder = new TextDecoder();
  let end = "";
  for await (const bytes of stderr) {
    const text = decoder.decode(bytes, { stream: true });
    if (text === "") continue;
    transcript.note({ kind: "stderr", text, ...(!text.endsWith("\n") && { open: true }) });
    end = (end + text).slice(-complaintLimit);
  }
  return withoutTokens(end.toWellFormed().replaceAll("\u0000", "\ufffd").trim());
}

/** [Q8] If a program or folder is missing, the error says which, and how to get it. */
function findProgram(name: string, { runner }: Profile, { cwd }: Job, env: Record<string, string>): string {
  if (!isFolder(cwd))
    throw new InboxError("not_found", `there is no folder ${cwd} to work in`, {
      hint: phrase`push it from an existing folder, or give one with ${field("cwd", blank("PATH"), "tasks.push")}`,
    });
  const place = placeOf(name, env.PATH ?? "");
  if (place !== null) return place;
  const there = name.includes("/") && fs().existsSync(name);
  throw new InboxError("not_found", there ? `${name} cannot be executed` : `there is no program ${name}`, {
    hint: there ? `chmod +x ${name}` : wayToGet(runner),
  });
}

function isFolder(path: string): boolean {
  try {
    return fs().statSync(path).isDirectory();
  } catch {
    return false;
  }
}
