/** A folder with a bus and a file of profiles, and both programs in it: sub-agents are shell scripts, their prompt is the script. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Result, type RunOptions, root, run } from "./cli.ts";
import { temporaryFolder } from "./folder.ts";
import { served } from "./hub.ts";
import { overHttp, overStdioAt, type Visitor } from "./mcp.ts";
import { postgresUrl, temporarySchema } from "./postgres.ts";
import { rows } from "./stored.ts";
import { stored } from "./stored-postgres.ts";
import { until } from "./until.ts";

export const usualProfiles = `
default = "sh"
[runners.sh]
command = ["sh", "-c", "{prompt}"]
model = ["{model}"]
`;

export interface Crew {
  path: string;
  /** The database itself. */
  db: string;
  /** The hub's address, where there is one. */
  url: string | null;
  inbox(...args: string[]): Promise<Result>;
  orch(...args: string[]): Promise<Result>;
  /** The same without `--json`, and with what else there is to say. */
  plain(program: "inbox" | "orch", args: readonly string[], options?: RunOptions): Promise<Result>;
  /** An agent that speaks MCP. */
  mcp(agent: string): Promise<Visitor>;
  /** Resolves when that many of main's tasks have finished. */
  finished(count: number): Promise<void>;
  /** What scripts have written to a file there, line by line. */
  lines(file: string): string[];
  [Symbol.asyncDispose](): Promise<void>;
}

const programs = { inbox: join(root, "dist/inbox"), orch: join(root, "dist/orch") };

/** What a crew works on, beside its folder. */
interface Bus {
  db: string;
  url?: string;
  env?: Record<string, string>;
  /** What the command lines of its supervisor and keepers hold. */
  mark?: string;
  close?(): Promise<void> | void;
}

async function crew(start: (file: string) => Promise<Bus>, profiles: string): Promise<Crew> {
  const folder = temporaryFolder();
  const { path } = folder;
  mkdirSync(join(path, ".agents"), { mode: 0o700 });
  writeFileSync(join(path, ".agents/agents.toml"), profiles);
  const bus = await start(join(path, ".agents/coord.db"));
  const { db, url = null, mark = path } = bus;
  // For a bus on a server the user names the file.
  const named: Record<string, string> = db.startsWith("postgres")
    ? { INBOX_PROFILES: join(path, ".agents/agents.toml") }
    : {};
  const usual = { INBOX_DB: url ?? db, XDG_STATE_HOME: path, ...named, ...bus.env };
  const plain: Crew["plain"] = (program, args, options = {}) =>
    run(args, { cwd: path, ...options, program: [programs[program]], env: { ...usual, ...options.env } });
  const inJson = (program: "inbox" | "orch", args: readonly string[]) => {
    const end = args.indexOf("--");
    return plain(program, args.toSpliced(end < 0 ? args.length : end, 0, "--json"));
  };
  const orch = (...args: string[]) => inJson("orch", args);
  /** Asked of the database itself: a program for each look would take the processor from what is waited for. */
  const ask = async <Row extends object>(query: string): Promise<Row[]> =>
    db.startsWith("postgres") ? stored<Row>(db, query) : rows<Row>(db, query);
  return {
    path,
    db,
    url,
    inbox: (...args) => inJson("inbox", args),
    orch,
    plain,
    mcp: (agent) =>
      url === null
        ? overStdioAt({ cwd: path, env: usual }, db, "2026-07-28", agent)
        : overHttp(`${url}/mcp?agent=${agent}`, "2026-07-28"),
    async finished(count) {
      const all = "select 1 as one from tasks where parent = 'main' and status = 'finished'";
      await until(`${count} tasks have finished`, async () => (await ask(all)).length >= count);
    },
    lines(file) {
      try {
        return readFileSync(join(path, file), "utf8").split("\n").filter(Boolean);
      } catch {
        return [];
      }
    },
    async [Symbol.asyncDispose]() {
      const running = () => ask<{ name: string }>("select name from tasks where status = 'running'");
      // Of a test that has failed something may still run. Whoever supervises then has nothing left to do, and goes.
      const left = await running();
      for (const { name } of left) await orch("kill", name);
      if (left.length) await until("nothing runs any more", async () => !(await running()).length);
      await bus.close?.();
      await until("no process of the team is left", () => !runningWith(mark).length);
      folder[Symbol.dispose]();
    },
  };
}

async function onFile(db: string): Promise<Bus> {
  await run(["init", "--db", db]);
  return { db };
}

async function throughHub(file: string): Promise<Bus> {
  const hub = await served(file);
  return { db: file, url: hub.url, close: () => hub[Symbol.asyncDispose]() };
}

async function onPostgres(): Promise<Bus> {
  const place = await temporarySchema();
  return { db: place.url, mark: `schema=${place.schema}&`, close: () => place[Symbol.dispose]() };
}

const broker = process.env.TEST_RABBITMQ ?? "";
const carried = async () => ({ ...(await onPostgres()), env: { INBOX_DELIVERY: broker } });

/** The processes whose command line names something, as `ps` would show them. */
export function runningWith(text: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\u0000", " ").trim();
      } catch {
        return "";
      }
    })
    .filter((line) => line.includes(text));
}

const places = [
  { name: "on a file", start: onFile },
  { name: "through a hub", start: throughHub },
  ...(postgresUrl ? [{ name: "on Postgres", start: onPostgres }] : []),
  ...(postgresUrl && broker ? [{ name: "with RabbitMQ", start: carried }] : []),
];

/** On a database itself a detached supervisor does the work; a hub does it itself. */
export const crews = places.map(({ name, start }) => ({
  name,
  open: (profiles = usualProfiles) => crew(start, profiles),
}));
