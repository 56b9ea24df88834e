/** Plays the keeper of a task: starts what a runner asks for, hands it the output, and writes down what it notes. */
import { dirname, join } from "node:path";
import type { FileSink } from "bun";
import type { Permission } from "../../src/contract/task.ts";
import type { TranscriptEntry } from "../../src/contract/transcript.ts";
import type { UsageReport } from "../../src/contract/usage.ts";
import { onPath } from "../../src/orch/environment.ts";
import { loadProfiles } from "../../src/orch/profiles/profiles-file.ts";
import { runnerFor } from "../../src/orch/runners/index.ts";
import type { Job, Launch, Outcome, Runner } from "../../src/orch/runners/runner.ts";
import { bareEnvironment, program } from "./cli.ts";
import { strike } from "./crew.ts";

export type Noted = Pick<TranscriptEntry, "kind" | "text" | "tool">;

export interface Played {
  launch: Launch;
  outcome: Outcome;
  notes: Noted[];
  /** What the runner told of its usage while the program ran. */
  spent: UsageReport[];
  code: number | null;
  stderr: string;
}

export interface Play {
  job?: Partial<Job>;
  env?: Record<string, string>;
  signal?: AbortSignal;
  /** Instead of keeping what is noted. */
  note?: (entry: Noted) => Promise<void>;
}

/** The runner of a profile, from the text of an agents.toml in a folder. */
export async function runnerIn(folder: string, name: string, toml: string) {
  const file = join(folder, ".agents/agents.toml");
  await Bun.write(file, toml);
  const settings = loadProfiles(file).all.get(name)!.runner;
  const permission: Permission = settings.permission === "inherit" ? "edit" : settings.permission;
  return { ...runnerFor(settings), env: settings.env, permission };
}

export function jobIn(folder: { path: string }, more: Partial<Job> = {}): Job {
  return {
    name: "sub",
    prompt: "do it",
    model: null,
    instructions: null,
    permission: "edit",
    cwd: folder.path,
    folder: join(folder.path, "task"),
    mcp: { command: program, args: ["mcp"], env: {} },
    ...more,
  };
}

/** [Q4] As a keeper does: a sub-agent finds our programs before all others. */
const ourProgramFirst = (env: Record<string, string | undefined>, { mcp }: Job) => ({
  ...env,
  PATH: onPath(dirname(mcp.command), env.PATH),
});

export async function play(
  runner: Runner & { env?: Readonly<Record<string, string>>; permission?: Permission },
  asked: Job,
  { env = {}, signal = new AbortController().signal, note }: Play = {},
): Promise<Played> {
  const job = runner.permission ? Object.assign(asked, { permission: runner.permission }) : asked;
  const launch = runner.launch(job);
  for (const [name, text] of Object.entries(launch.files ?? {}))
    await Bun.write(join(job.folder, name), text);
  const child = Bun.spawn([...launch.argv], {
    cwd: job.cwd,
    env: ourProgramFirst({ ...bareEnvironment(env), ...runner.env, ...launch.env }, job),
    stdin: launch.stdin ? "pipe" : "ignore",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  const stderr = new Response(child.stderr).text();
  const input = child.stdin;
  if (input && launch.stdin && launch.stdin !== "open") give(input, launch.stdin.text);
  const notes: Noted[] = [];
  const spent: UsageReport[] = [];
  const outcome = await runner.follow(
    {
      stdout: child.stdout,
      write: async (text) => {
        input!.write(text);
        await input!.flush();
      },
      endInput: () => void input!.end(),
      note: note ?? (async (entry) => void notes.push(entry)),
      interruptions: { listen: () => () => {}, take: async () => undefined },
      spent: (used) => void spent.push(used),
      signal,
    },
    job,
  );
  // A conversation that is over: not every program ends by itself when its input does.
  if (signal.aborted || launch.stdin === "open") strike(-child.pid);
  const code = await child.exited;
  return { launch, outcome, notes, spent, code, stderr: await stderr };
}

async function give(input: FileSink, text: string): Promise<void> {
  try {
    input.write(text);
    await input.end();
  } catch {
    // It need not read what it is told.
  }
}
