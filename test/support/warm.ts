/**
 * The command line without its start: one process takes many command lines, one after the other. A start takes ten times as long as
 * most commands, and where hundreds of texts are looked at it is not what is tested. It runs the sources, by the function
 * that the program runs; outputs are real ones, the working folder and the environment are those of each command. Standard
 * input is empty. For commands that end by themselves: what they leave open stays open.
 */
import { afterAll } from "bun:test";
import { closeSync, openSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { AnyOperation } from "../../src/contract/operation.ts";
import type { Program } from "../../src/surfaces/cli/commands.ts";
import { bareEnvironment, type Desk, desk, type Result, type RunOptions, resultOf, root } from "./cli.ts";
import { temporaryFolder } from "./folder.ts";

export interface Asked {
  program: Program;
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
}

type Warm = (asked: Asked) => Promise<Result>;

let warm: Promise<Warm> | undefined;
let line: Promise<unknown> = Promise.resolve();
let stop = async () => {};
afterAll(() => stop());

/** `inbox ARGS`, or `orch ARGS`, in the process that the file's commands share. */
export function runWarm(
  argv: readonly string[],
  { cwd = "/", env }: Pick<RunOptions, "cwd" | "env"> = {},
  program: Program = "inbox",
): Promise<Result> {
  warm ??= startWarm();
  const asked = { program, argv, cwd, env: bareEnvironment(env) };
  const answered = line.then(async () => (await warm!)(asked));
  line = answered.catch(() => {});
  return answered;
}

/** Whether a command may be run there: what starts or replaces programs is run by the program itself. */
export const isForWarm = ({ kind, cli }: AnyOperation) => kind !== "local" && cli.program !== "orch";

/** A desk whose commands share one process. */
export async function warmDesk(): Promise<Desk> {
  const at = await desk();
  return {
    ...at,
    inbox: (...args) => runWarm([...args, "--json"], { cwd: at.path }),
    human: (...args) => runWarm(args, { cwd: at.path }),
  };
}

async function startWarm(): Promise<Warm> {
  const folder = temporaryFolder();
  // Files, and written at their end: what a command has printed is there when it has ended.
  const paths = ["stdout", "stderr"].map((name) => join(folder.path, name)) as [string, string];
  const [stdout, stderr] = paths.map((path) => openSync(path, "a")) as [number, number];
  let heard = Promise.withResolvers<unknown>();
  let wanted = true;
  const child = Bun.spawn([process.execPath, "--no-env-file", join(root, "test/support/warm-child.ts")], {
    cwd: "/",
    env: bareEnvironment(),
    stdio: ["ignore", stdout, stderr],
    ipc: (message) => heard.resolve(message),
    onExit: (_, code, signal) => {
      if (wanted)
        heard.reject(new Error(`the program ended (${signal ?? code}): ${readFileSync(paths[1], "utf8")}`));
    },
  });
  for (const descriptor of [stdout, stderr]) closeSync(descriptor);
  stop = async () => {
    wanted = false;
    child.kill("SIGKILL");
    await child.exited;
    folder[Symbol.dispose]();
  };
  await heard.promise;
  return async (asked) => {
    for (const path of paths) truncateSync(path);
    heard = Promise.withResolvers();
    child.send(asked);
    const code = (await heard.promise) as number;
    const [stdout, stderr] = paths.map((path) => readFileSync(path, "utf8")) as [string, string];
    return resultOf(code, stdout, stderr);
  };
}
