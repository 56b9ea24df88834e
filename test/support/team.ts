/** A folder with a bus and a file of profiles, and both programs in it: sub-agents are shell scripts, their prompt is the script. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Result, type RunOptions, root, run } from "./cli.ts";
import { temporaryFolder } from "./folder.ts";
import { served } from "./hub.ts";
import { until } from "./until.ts";

export const usualProfiles = `
default = "sh"
[runners.sh]
command = ["sh", "-c", "{prompt}"]
`;

export interface Crew {
  path: string;
  /** The database's file. */
  db: string;
  /** What `--db` says: the file, or the hub. */
  address: string;
  /** The hub's address, where there is one. */
  url: string | null;
  inbox(...args: string[]): Promise<Result>;
  orch(...args: string[]): Promise<Result>;
  /** The same without `--json`, and with what else there is to say. */
  plain(program: "inbox" | "orch", args: readonly string[], options?: RunOptions): Promise<Result>;
  /** Resolves when that many of main's tasks have finished. */
  finished(count: number): Promise<void>;
  /** What scripts have written to a file there, line by line. */
  lines(file: string): string[];
  [Symbol.asyncDispose](): Promise<void>;
}

const programs = { inbox: join(root, "dist/inbox"), orch: join(root, "dist/orch") };

async function crew(hubbed: boolean, profiles: string): Promise<Crew> {
  const folder = temporaryFolder();
  const { path } = folder;
  const db = join(path, ".agents/coord.db");
  mkdirSync(join(path, ".agents"), { mode: 0o700 });
  writeFileSync(join(path, ".agents/agents.toml"), profiles);
  const hub = hubbed ? await served(db) : undefined;
  if (!hub) await run(["init"], { cwd: path });
  const address = hub?.url ?? db;
  const plain: Crew["plain"] = (program, args, options = {}) =>
    run(args, {
      cwd: path,
      ...options,
      program: [programs[program]],
      env: { ...(hub && { INBOX_DB: hub.url }), ...options.env },
    });
  const inJson = (program: "inbox" | "orch", args: readonly string[]) => {
    const end = args.indexOf("--");
    return plain(program, args.toSpliced(end < 0 ? args.length : end, 0, "--json"));
  };
  const orch = (...args: string[]) => inJson("orch", args);
  return {
    path,
    db,
    address,
    url: hub?.url ?? null,
    inbox: (...args) => inJson("inbox", args),
    orch,
    plain,
    async finished(count) {
      await until(async () => (await orch("queue")).json.finished.length >= count);
    },
    lines(file) {
      try {
        return readFileSync(join(path, file), "utf8").split("\n").filter(Boolean);
      } catch {
        return [];
      }
    },
    async [Symbol.asyncDispose]() {
      await hub?.[Symbol.asyncDispose]();
      // Whoever still supervises has nothing left to do, and goes.
      await until(() => !runningWith(path).length);
      folder[Symbol.dispose]();
    },
  };
}

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

/** Directly on the file, where a detached supervisor does the work; and through a hub, which does it itself. */
export const crews = [
  { name: "on a file", open: (profiles = usualProfiles) => crew(false, profiles) },
  { name: "through a hub", open: (profiles = usualProfiles) => crew(true, profiles) },
];
