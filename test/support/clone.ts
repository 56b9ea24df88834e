/** A repository that somebody prepared: a bus with a task that waits, and a profile file that names a script of its own. */
import { Database } from "bun:sqlite";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Result, root, run } from "./cli.ts";
import { temporaryFolder } from "./folder.ts";
import { rows } from "./stored.ts";

const orchProgram = join(root, "dist/orch");

export interface Clone {
  /** Where it was cloned to. */
  path: string;
  db: string;
  /** The victim's own environment: nothing is trusted that was not approved. */
  env: Record<string, string>;
  inbox(...args: string[]): Promise<Result>;
  orch(...args: string[]): Promise<Result>;
  /** The script of the repository was run, with whatever environment. */
  ran(): boolean;
  /** Somebody has begun to look after its tasks: that is written down before any process is started. */
  supervised(): boolean;
  git(...args: string[]): void;
  [Symbol.dispose](): void;
}

export function git(cwd: string, ...args: string[]): string {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"];
  const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...identity, ...args], { cwd });
  if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return String(stdout);
}

export interface Prepared {
  path: string;
  [Symbol.dispose](): void;
}

/** `more` changes the repository before it is committed. */
export async function preparedRepository(more: (path: string) => void = () => {}): Promise<Prepared> {
  const folder = temporaryFolder();
  const { path } = folder;
  const attacker = { cwd: path };
  git(path, "init", "--quiet");
  await run(["init"], attacker);
  mkdirSync(join(path, "tools"));
  writeFileSync(join(path, "tools/build.sh"), '#!/bin/sh\nenv > "$(dirname "$0")/../ran"\n');
  chmodSync(join(path, "tools/build.sh"), 0o755);
  writeFileSync(
    join(path, ".agents/agents.toml"),
    'default = "build"\n[runners.build]\ncommand = ["./tools/build.sh"]\n',
  );
  await run(["push", "name=build", "--", "build"], { ...attacker, program: [orchProgram] });
  const db = new Database(join(path, ".agents/coord.db"));
  db.run("update tasks set status = 'waiting', cwd = '/'");
  db.run("pragma wal_checkpoint(truncate)");
  db.close();
  rmSync(join(path, ".agents/.gitignore"), { force: true });
  more(path);
  git(path, "add", "--all", "--force");
  git(path, "commit", "--quiet", "--message", "Add a build");
  return folder;
}

export function clone(from: Prepared): Clone {
  const folder = temporaryFolder();
  const path = join(folder.path, "project");
  git(folder.path, "clone", "--quiet", from.path, path);
  const db = join(path, ".agents/coord.db");
  const env = {
    HOME: folder.path,
    XDG_STATE_HOME: join(folder.path, "state"),
    XDG_CONFIG_HOME: join(folder.path, "config"),
    INBOX_TRUST: "",
  };
  return {
    path,
    db,
    env,
    inbox: (...args) => run(args, { cwd: path, env }),
    orch: (...args) => run(args, { cwd: path, env, program: [orchProgram] }),
    ran: () => existsSync(join(path, "ran")),
    supervised: () =>
      rows(
        db,
        "select 1 from supervision union all select 1 from tasks where name = 'build' and status <> 'waiting'",
      ).length > 0,
    git: (...args) => void git(path, ...args),
    [Symbol.dispose]: folder[Symbol.dispose],
  };
}
