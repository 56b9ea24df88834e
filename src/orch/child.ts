/** One run of an agent program: started in a group of its own, followed to its end, and nothing of it left behind. */
import { InboxError } from "../contract/errors.ts";
import { fs } from "../system.ts";
import { wayToGet } from "./built-in.ts";
import { identityOf, killTree } from "./processes.ts";
import type { Profile } from "./profile.ts";
import { placeOf } from "./profile-list.ts";
import type { Job, Outcome, Runner } from "./runners/runner.ts";
import type { Transcript } from "./transcript.ts";

/** How one run ended. */
export interface Run {
  outcome: Outcome;
  /** Why it is no success. */
  error?: string;
  /** There is no use in trying again. */
  forGood?: boolean;
}

export interface Running {
  /** Known at once: pid, start time, boot. */
  child: string;
  ended: Promise<Run>;
}

/** Bytes of standard error that are told where a program fails. */
const complaintLimit = 4096;
/** What a program had written before it ended is read; who holds its pipe longer is not waited for. */
const drainMs = 5000;

export function startChild(
  runner: Runner,
  profile: Profile,
  job: Job,
  env: Record<string, string>,
  mark: string,
  transcript: Transcript,
  signal: AbortSignal,
): Running {
  const launch = runner.launch(job);
  const environment = { ...env, ...launch.env };
  const program = findProgram(launch.argv[0]!, profile, job, environment);
  const process_ = Bun.spawn([program, ...launch.argv.slice(1)], {
    argv0: launch.argv[0]!,
    cwd: job.cwd,
    env: environment,
    stdin: launch.stdin === undefined ? "ignore" : "pipe",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  const child = identityOf(process_.pid);
  const input = process_.stdin;
  const talk = {
    stdout: process_.stdout as unknown as AsyncIterable<Uint8Array>,
    write: async (text: string) => {
      input?.write(text);
      await input?.flush();
    },
    endInput: () => void input?.end(),
    note: async (entry: Parameters<Transcript["note"]>[0]) => transcript.note(entry),
    signal,
  };
  if (typeof launch.stdin === "object") void feed(talk, launch.stdin.text);
  const complaints = listen(process_.stderr as unknown as AsyncIterable<Uint8Array>, transcript);
  const followed = runner.follow(talk, job).catch(
    (error): Outcome => ({
      final: "",
      error: `its output could not be understood: ${(error as Error).message}`,
    }),
  );

  async function untilEnd(): Promise<Run> {
    await process_.exited;
    // What it started and left behind would hold the pipes open, and must not outlive the task.
    await killTree(mark, child, process.pid);
    const outcome = await within(followed, drainMs, { final: "", error: "its output has no end" });
    const said = await within(complaints, drainMs, "");
    const how = endOf(process_.exitCode, process_.signalCode);
    const error = outcome.error ?? how;
    return { outcome, ...(error !== undefined && { error: withComplaint(error, said) }) };
  }
  return { child, ended: untilEnd() };
}

function endOf(code: number | null, signal: string | number | null): string | undefined {
  if (signal !== null) return `it was ended by ${signal}`;
  return code === 0 ? undefined : `it ended with status ${code}`;
}

const withComplaint = (error: string, said: string) =>
  said.trim() === "" || error.includes(said.trim()) ? error : `${error}: ${said.trim()}`;

async function feed(talk: { write(text: string): Promise<void>; endInput(): void }, text: string) {
  try {
    await talk.write(text);
    talk.endInput();
  } catch {
    // It did not want its input; its end tells whether that was right.
  }
}

/** Standard error to the transcript; the end of it is what a failure is explained by. */
async function listen(stderr: AsyncIterable<Uint8Array>, transcript: Transcript): Promise<string> {
  const decoder = new TextDecoder();
  let end = "";
  for await (const bytes of stderr) {
    const text = decoder.decode(bytes, { stream: true });
    if (text === "") continue;
    transcript.note({ kind: "error", text });
    end = (end + text).slice(-complaintLimit);
  }
  return end.toWellFormed();
}

function within<T>(promise: Promise<T>, ms: number, otherwise: T): Promise<T> {
  let timer: Timer | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** [Q8] A missing program or folder is a failure that says which, and how to get it. */
function findProgram(name: string, { runner }: Profile, { cwd }: Job, env: Record<string, string>): string {
  let folder: boolean;
  try {
    folder = fs().statSync(cwd).isDirectory();
  } catch {
    folder = false;
  }
  if (!folder)
    throw new InboxError("not_found", `there is no folder ${cwd} to work in`, {
      hint: "push it from a folder that is there, or name one with cwd=PATH",
    });
  const place = placeOf(name, env.PATH ?? "");
  if (place !== null) return place;
  const there = name.includes("/") && fs().existsSync(name);
  throw new InboxError("not_found", there ? `${name} cannot be executed` : `there is no program ${name}`, {
    hint: there ? `chmod +x ${name}` : (wayToGet(runner) ?? "look at orch agents"),
  });
}
