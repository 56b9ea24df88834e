/** This very program, as something that can be started again under either of its names. */
import { basename, dirname, join } from "node:path";
import type { Subprocess } from "bun";
import { InboxError } from "../contract/errors.ts";
import { makeOwnFolder } from "../platform/own-files.ts";
import { fs } from "../platform/system.ts";
import { startedHere } from "./spawn.ts";

type Name = "inbox" | "orch";

const root = join(import.meta.dir, "../..");

/** Linux marks the path of a program that was replaced while it runs; what stands there now is its successor. */
const ownPath = () => process.execPath.replace(/ \(deleted\)$/, "");

const isBuilt = () => Bun.main.startsWith("/$bunfs/") || /^(inbox|orch)$/.test(basename(ownPath()));

/** Its arguments up to the command. A built program knows its name by argv0, a checkout's by a variable. */
export function programWords(): string[] {
  if (isBuilt()) return [ownPath()];
  const settings = [
    `--config=${join(root, "bunfig.toml")}`,
    `--tsconfig-override=${join(root, "tsconfig.json")}`,
  ];
  return [bun(), ...settings, "--no-env-file", join(root, "src/main.ts")];
}

/** Where a program embeds us, its own runtime is what runs us too. */
const bun = ownPath;

/**
 * Starts it in a session of its own, with nothing of ours to hold on to: it lives on when we end. What `ps` shows is
 * `orch COMMAND`. Its words to standard error go to a file, for whoever looks for the reason of a crash.
 */
export function startDetached(
  words: readonly string[],
  env: Record<string, string>,
  complaints?: string,
): Subprocess {
  const file = complaints === undefined ? undefined : ownFile(complaints);
  const child = Bun.spawn([...programWords(), ...words], {
    argv0: "orch",
    cwd: "/",
    env: { ...env, INBOX_PROGRAM: "orch" },
    stdin: "ignore",
    stdout: "ignore",
    stderr: file ?? "ignore",
    detached: true,
  });
  if (file !== undefined) fs().closeSync(file);
  child.unref();
  startedHere.add(child.pid);
  return child;
}

/** An empty file that nobody else reads, whatever lay there before. */
function ownFile(path: string): number {
  fs().rmSync(path, { force: true });
  return fs().openSync(path, "wx", 0o600);
}

/** [Q4] A folder with both names in it, to be put on a path. */
export function programFolder(folder: string): string {
  const bin = join(folder, "bin");
  makeOwnFolder(bin);
  // It comes first on a sub-agent's path: nothing else may be in it.
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

/** By rename: another process may be doing the same, and a third one using it. */
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
