/** This program, to be started again under either of its names. */
import type { SpawnOptions } from "node:child_process";
import { basename, dirname, join } from "node:path";
import { InboxError } from "../contract/errors.ts";
import { makeOwnFolder } from "../platform/own-files.ts";
import { bun } from "../platform/runtime.ts";
import { exists, fs } from "../platform/system.ts";
import { isStartedHere } from "./spawn.ts";

type Name = "inbox" | "orch";

const here = import.meta.dirname;
const root = join(here, "../..");

/** Linux marks the path of a program that was replaced while it runs; the file at that path is its successor. */
const ownPath = () => process.execPath.replace(/ \(deleted\)$/, "");

const isBuilt = () => bun?.main.startsWith("/$bunfs/") || /^(inbox|orch)$/.test(basename(ownPath()));

/** Its arguments before the command. A built program knows its name by argv0, a checkout by a variable. */
export function programWords(): string[] {
  if (isBuilt()) return [ownPath()];
  if (isBundled()) return [bundledProgram()];
  const settings = [
    `--config=${join(root, "bunfig.toml")}`,
    `--tsconfig-override=${join(root, "tsconfig.json")}`,
  ];
  // If another program embeds us, its runtime runs us too.
  return [ownPath(), ...settings, "--no-env-file", join(root, "src/main.ts")];
}

/** The published SDK is one file in `dist`, for any runtime. The program is then in the platform's npm package, or beside it. */
const isBundled = () => basename(here) === "dist";

function bundledProgram(): string {
  const finder = join(here, "../bin/program.cjs");
  if (!exists(finder)) return join(here, "inbox");
  const { createRequire } = require("node:module") as typeof import("node:module");
  return (createRequire(import.meta.url)(finder) as { programPath(): string }).programPath();
}

/** A detached child. */
export interface Detached {
  pid: number;
  exited: Promise<unknown>;
  readonly exitCode: number | null;
  readonly signalCode: string | number | null;
}

/** Starts it in its own session, without any of our open files: it continues when we exit. `ps` shows it as `orch COMMAND`. */
export function startDetached(words: readonly string[], env: Record<string, string>): Detached {
  const { argv, options } = asOrch(words, env);
  const child = bun
    ? bun.spawn(argv, { ...options, stdin: "ignore", stdout: "ignore", stderr: "ignore" })
    : spawnByNode(argv, { ...options, stdio: ["ignore", "ignore", "ignore"] });
  child.unref();
  isStartedHere(child);
  return child;
}

/** A child with a connection, over which it gets messages and answers. */
export interface OnLine extends Detached {
  write(text: string): void;
  /** It gets no more messages. */
  end(): void;
  output: AsyncIterable<Uint8Array>;
}

/** The same with a connection. Its standard error goes to a file, for finding the reason of a crash. */
export function startOnLine(
  words: readonly string[],
  env: Record<string, string>,
  complaints: string,
): OnLine {
  const file = ownFile(complaints);
  try {
    const { argv, options } = asOrch(words, env);
    const child = Bun.spawn(argv, { ...options, stdin: "pipe", stdout: "pipe", stderr: file });
    child.unref();
    isStartedHere(child);
    // Its death is noticed by its exit.
    const quietly = (work: () => unknown) => void Promise.try(work).catch(() => {});
    return {
      pid: child.pid,
      exited: child.exited,
      get exitCode() {
        return child.exitCode;
      },
      get signalCode() {
        return child.signalCode;
      },
      write: (text) =>
        quietly(() => {
          child.stdin.write(text);
          return child.stdin.flush();
        }),
      end: () => quietly(() => child.stdin.end()),
      output: child.stdout,
    };
  } finally {
    fs().closeSync(file);
  }
}

const asOrch = (words: readonly string[], env: Record<string, string>) => ({
  argv: [...programWords(), ...words],
  options: { argv0: "orch", cwd: "/", env: { ...env, INBOX_PROGRAM: "orch" }, detached: true },
});

function spawnByNode([program, ...words]: string[], options: SpawnOptions): Detached & { unref(): void } {
  const { spawn } = require("node:child_process") as typeof import("node:child_process");
  const child = spawn(program!, words, options);
  const exited = new Promise((done) => child.once("exit", done).once("error", done));
  return Object.assign(child, { pid: child.pid ?? 0, exited });
}

/** Makes an empty file that only this user can read, whatever was there before. */
function ownFile(path: string): number {
  fs().rmSync(path, { force: true });
  return fs().openSync(path, "wx", 0o600);
}

/** [Q4] A folder that contains both names, to be put on a path. */
export function programFolder(folder: string): string {
  const bin = join(folder, "bin");
  makeOwnFolder(bin);
  // It is first on a sub-agent's path: it must contain nothing else.
  const [stranger] = fs()
    .readdirSync(bin)
    .filter((name) => !/^(inbox|orch|\.(inbox|orch)\.\d+)$/.test(name));
  if (stranger !== undefined)
    throw new InboxError("not_allowed", `${join(bin, stranger)} was not created by inbox`, {
      hint: "remove it: sub-agents would run it instead of the program of that name",
    });
  for (const name of ["inbox", "orch"] as const) link(targetOf(name), join(bin, name));
  return bin;
}

const targetOf = (name: Name) => (isBuilt() ? ownPath() : join(root, "bin", name));

/** By rename: another process may do the same, and a third may be using it. */
function link(target: string, path: string): void {
  try {
    if (fs().readlinkSync(path) === target) return;
  } catch {
    // There is none yet.
  }
  const made = join(dirname(path), `.${basename(path)}.${process.pid}`);
  fs().rmSync(made, { force: true });
  fs().symlinkSync(target, made);
  fs().renameSync(made, path);
}
