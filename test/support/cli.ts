/** The program as users run it: a child process, its standard output and its exit code. */
import { join, resolve } from "node:path";
import type { Subprocess } from "bun";
import { temporaryFolder } from "./folder.ts";
import { runMark } from "./left-behind.ts";
import { testPlatform } from "./platform.ts";
import { testUser } from "./user.ts";

export const root = resolve(import.meta.dir, "../..");
/** Built by `npm test` before the tests run. */
export const program = join(root, "dist/inbox");
export const orch = join(root, "dist/orch");

export interface Result {
  code: number;
  stdout: string;
  stderr: string;
  /** Standard output as JSON; throws if it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any;
}

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string | Uint8Array;
  program?: readonly string[];
}

/** An environment without anything of the one the tests run in that could steer the program. */
export function bareEnvironment(more: Record<string, string> = {}): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    HOME: "/nonexistent",
    LANG: "C.UTF-8",
    ...testUser(),
    ...testPlatform(),
    ...runMark(),
    ...more,
  };
}

export function start(args: readonly string[], options: RunOptions = {}): Subprocess<"pipe", "pipe", "pipe"> {
  return Bun.spawn([...(options.program ?? [program]), ...args], {
    cwd: options.cwd ?? "/",
    env: bareEnvironment(options.env),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
}

export async function run(args: readonly string[], options: RunOptions = {}): Promise<Result> {
  const child = start(args, options);
  try {
    if (options.stdin !== undefined) child.stdin.write(options.stdin);
    await child.stdin.end();
  } catch {
    // It had read enough, and is gone.
  }
  const [code, stdout, stderr] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return resultOf(code, stdout, stderr);
}

export const resultOf = (code: number, stdout: string, stderr: string): Result => ({
  code,
  stdout,
  stderr,
  get json() {
    return JSON.parse(stdout);
  },
});

export interface Desk {
  /** The folder, with a bus in it. */
  path: string;
  db: string;
  /** `inbox ARGS --json` there. */
  inbox(...args: string[]): Promise<Result>;
  /** `inbox ARGS` there, as a person. */
  human(...args: string[]): Promise<Result>;
  start(...args: string[]): Subprocess<"pipe", "pipe", "pipe">;
  [Symbol.dispose](): void;
}

/** A folder with a fresh bus in it. */
export async function desk(options: RunOptions = {}): Promise<Desk> {
  const folder = temporaryFolder();
  const here = { cwd: folder.path, ...options };
  const made = await run(["init"], here);
  if (made.code !== 0) throw new Error(`init failed: ${made.stderr}`);
  return {
    path: folder.path,
    db: join(folder.path, ".agents/coord.db"),
    inbox: (...args) => run([...args, "--json"], here),
    human: (...args) => run(args, here),
    start: (...args) => start(args, here),
    [Symbol.dispose]: folder[Symbol.dispose],
  };
}
