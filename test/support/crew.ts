/** A bus with sub-agents that are shell commands, and a look at every process that belongs to it. */
import { Database } from "bun:sqlite";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { type Result, type RunOptions, root, run, start } from "./cli.ts";
import { temporaryFolder } from "./folder.ts";
import { rows } from "./stored.ts";
import { stored } from "./stored-postgres.ts";
import { until } from "./until.ts";

export type Row = Record<string, string | number | null>;

export interface Process {
  pid: number;
  parent: number;
  command: string;
}

/** A result as its parent reads it. */
export interface Heard {
  from: string;
  text: string;
  success: boolean;
  error?: string;
  partial?: string;
}

export interface Crew {
  path: string;
  db: string;
  orch(...args: string[]): Promise<Result>;
  /** As a person, without --json. */
  human(program: "orch" | "inbox", ...args: string[]): Promise<Result>;
  startOrch(...args: string[]): ReturnType<typeof start>;
  inbox(...args: string[]): Promise<Result>;
  /** Pushes a command under a name. */
  push(name: string, command: string, ...more: string[]): Promise<void>;
  /** `inbox receive`, which blocks until there is a result: one that is lost may be told only when leases have run out. */
  hear(seconds?: number): Promise<Heard[]>;
  start(...args: string[]): ReturnType<typeof start>;
  supervisors(): Process[];
  keepers(): Process[];
  /** Whatever runs in its folder or with its database. */
  processes(): Process[];
  /** A task's line in the database file. */
  task(name: string): Row;
  change(sql: string, ...values: (string | number | null)[]): void;
  /** Past the program, on any engine. */
  ask(sql: string): Promise<Row[]>;
  [Symbol.dispose](): void;
}

const orchProgram = join(root, "dist/orch");
const shell = 'default = "sh"\n[runners.sh]\ncommand = ["sh", "-c", "{prompt}"]\n';

export async function crew(toml = "", db?: string, more: Record<string, string> = {}): Promise<Crew> {
  const folder = temporaryFolder();
  const path = folder.path;
  const file = join(path, ".agents/coord.db");
  const env: Record<string, string> = {
    HOME: path,
    XDG_STATE_HOME: join(path, ".local/state"),
    ...(db !== undefined && { INBOX_DB: db, INBOX_PROFILES: join(path, ".agents/agents.toml") }),
    ...more,
  };
  const here: RunOptions = { cwd: path, env };
  const checked = async (args: string[], options: RunOptions) => {
    const answer = await run(args, options);
    if (answer.code !== 0) throw new Error(`${args.join(" ")}: ${answer.stderr}${answer.stdout}`);
    return answer;
  };
  await checked(["init"], here);
  await Bun.write(join(path, ".agents/agents.toml"), shell + toml);
  const orch = (...args: string[]) => run([...args, "--json"], { ...here, program: [orchProgram] });
  const processes = () => processesOf(path);
  const words = (command: string) => {
    const all = processes().filter((one) => one.command.startsWith(`orch ${command} `));
    // What one of them has forked looks like itself until it has become its program.
    const commands = new Map(all.map((one) => [one.pid, one.command]));
    return all.filter(({ parent, command }) => commands.get(parent) !== command);
  };
  return {
    path,
    db: db ?? file,
    orch,
    human: (which, ...args) => run(args, which === "orch" ? { ...here, program: [orchProgram] } : here),
    startOrch: (...args) => start(args, { ...here, program: [orchProgram] }),
    inbox: (...args) => run([...args, "--json"], here),
    async push(name, command, ...more) {
      await checked(["push", `name=${name}`, ...more, "--", command], { ...here, program: [orchProgram] });
    },
    async hear(seconds = 40) {
      const { json } = await run(
        ["receive", "--agent", "main", "--timeout-seconds", String(seconds), "--json"],
        here,
      );
      return json.messages.map(heard);
    },
    start: (...args) => start([...args, "--json"], here),
    supervisors: () => words("supervise"),
    keepers: () => words("keep"),
    processes,
    task: (name) => {
      using opened = new Database(file);
      opened.run("pragma busy_timeout = 5000");
      return opened.query("select * from tasks where name = ? order by task_number desc").get(name) as never;
    },
    change(sql, ...values) {
      using opened = new Database(file);
      opened.run("pragma busy_timeout = 5000");
      opened.query(sql).run(...values);
    },
    ask: async (sql) => (db === undefined ? rows<Row>(file, sql) : stored<Row>(db, sql)),
    [Symbol.dispose]() {
      for (let left = processes(); left.length; left = processes()) for (const one of left) strike(one.pid);
      folder[Symbol.dispose]();
    },
  };
}

interface Message {
  sender_id: string;
  message: string;
  metadata_json: string | null;
}

function heard({ sender_id, message, metadata_json }: Message): Heard {
  const { success, error, partial_output } = JSON.parse(metadata_json ?? "{}");
  return {
    from: sender_id,
    text: message,
    success,
    ...(error !== undefined && { error }),
    ...(partial_output !== undefined && { partial: partial_output }),
  };
}

/** Whatever runs in a folder, or names it in its command or environment: one that cleared its environment is still somewhere. */
export function processesOf(path: string): Process[] {
  const found: Process[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      if (/\) [ZX] /.test(stat)) continue;
      const command = readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ").trim();
      const cwd = readlinkSync(`/proc/${name}/cwd`);
      const environment = readFileSync(`/proc/${name}/environ`, "latin1");
      if (cwd.startsWith(path) || command.includes(path) || environment.includes(path))
        found.push({ pid: Number(name), parent: Number(/\) \S+ (\d+) /.exec(stat)?.[1]), command });
    } catch {
      // It has ended.
    }
  }
  return found;
}

export function strike(pid: number, signal: NodeJS.Signals = "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It was faster.
  }
}

/** Kills all of them, and waits until the system has let them go. */
export async function strikeAll(all: readonly Pick<Process, "pid">[]): Promise<void> {
  for (const { pid } of all) strike(pid);
  await until("all of them have ended", () => all.every(({ pid }) => !isAlive(pid)));
}

function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

/** The task's program runs: it has made this file. */
export const begun = (crew: Crew, name: string) =>
  until(`${name} is there`, () => Bun.file(join(crew.path, name)).exists());

/**
 * The result of a task that its timeout is to end while it does what it says by making this file. A machine that stands still may
 * take all of that time before: then it has four times as much.
 */
export async function outOfTime(
  crew: Crew,
  { file, seconds }: { file: string; seconds: number },
  push: (timeout: string) => Promise<unknown>,
): Promise<{ told: Heard | undefined; seconds: number }> {
  await push(`timeout=${seconds}`);
  await crew.orch("run");
  const [told] = await crew.hear();
  const isThere = existsSync(join(crew.path, file));
  if (isThere || seconds > 10) return { told: isThere ? told : undefined, seconds };
  return outOfTime(crew, { file, seconds: 4 * seconds }, push);
}

/** Its keeper has read this of what the task's program prints: what is still in the pipe is lost with a killed keeper. */
export const printed = (crew: Crew, name: string, text: string) =>
  until(`the transcript of ${name} has "${text}"`, async () => {
    const { folder } = crew.task(name);
    if (folder === null) return false;
    const transcript = Bun.file(join(String(folder), "transcript.jsonl"));
    const lines = (await transcript.text().catch(() => "")).split("\n");
    return lines.some((line) => line.includes('"output"') && line.includes(text));
  });

/** Queues that many, t1 and so on, in one go. */
export async function queued(team: Crew, count: number, prompt: string): Promise<void> {
  await team.push("t1", prompt);
  const copies = Array.from({ length: count - 1 }, (_, i) => `('t${i + 2}', ${i + 2})`).join(", ");
  await team.ask(
    `insert into tasks (name, parent, status, prompt, profile, cwd, priority, place, retries, created_at)
     select more.name, parent, status, prompt, profile, cwd, priority, more.place, retries, created_at
     from tasks, (select column1 as name, column2 as place from (values ${copies}) as v) as more where tasks.name = 't1'`,
  );
}
