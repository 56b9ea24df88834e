/**
 * git, as a program. Only arguments tell it where to work: variables of the caller (GIT_DIR, GIT_INDEX_FILE) would
 * make it work somewhere else. It runs no hooks, signs nothing, asks nothing, and collects no garbage.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { InboxError } from "../../contract/errors.ts";
import { spawnPiped } from "../spawn.ts";
import { within } from "../within.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that git needs: for its configuration, and the author of commits. */
const kept = [
  ...["PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "SSL_CERT_FILE"],
  ...["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"],
  ...["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"],
];

const settings = [
  ...["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0"],
  ...["-c", "maintenance.auto=false", "-c", "commit.gpgSign=false", "-c", "core.quotePath=false"],
  ...["-c", "advice.detachedHead=false", "-c", "core.editor=true", "-c", "rerere.enabled=false"],
];

export interface Said {
  code: number | null;
  stdout: string;
  stderr: string;
  /** There was more than `limit` bytes. */
  cut: boolean;
}

export interface GitOptions {
  env?: Environment;
  /** Another index than the checkout's own. */
  index?: string;
  /** Bytes of output that are kept. */
  limit?: number;
}

const outputLimit = 64 * 1024 * 1024;

/**
 * While one git creates a worktree, another that lists all worktrees finds it incomplete, and fails before it has
 * done anything.
 */
const halfMade = /\bfailed to read \S*worktrees\/[^/]+\/\w+/;
const triesAllowed = 40;
const pauseMs = 25;

/** Until when git may run, for all that is done inside of `limited`. */
const limit = new AsyncLocalStorage<AbortSignal>();

/** Once the signal is aborted, the git that runs is ended, no other is started, and the work fails. */
export const limited = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> =>
  limit.run(signal, work);

/** Runs git in a folder, and answers with how it ended. */
export async function tryGit(cwd: string, args: readonly string[], options: GitOptions = {}): Promise<Said> {
  for (let tries = 1; ; tries++) {
    const said = await runGit(cwd, args, options);
    if (said.code === 0 || tries === triesAllowed || !halfMade.test(said.stderr)) return said;
    await Bun.sleep(pauseMs);
  }
}

async function runGit(cwd: string, args: readonly string[], options: GitOptions): Promise<Said> {
  const { env = process.env, index, limit: most = outputLimit } = options;
  const environment: Record<string, string> = {
    ...Object.fromEntries(kept.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    // Reading the person's checkout must not write its index.
    GIT_OPTIONAL_LOCKS: "0",
    ...(index !== undefined && { GIT_INDEX_FILE: index }),
  };
  const signal = limit.getStore();
  if (signal?.aborted) throw new InboxError("busy", "git was ended: it took too long");
  const program = Bun.which("git", { PATH: environment.PATH ?? "" });
  if (program === null)
    throw new InboxError("not_found", "there is no program git", {
      hint: "install git, or work without a worktree",
    });
  const {
    process: child,
    stdout,
    stderr,
  } = spawnPiped([program, ...settings, ...args], {
    argv0: "git",
    cwd,
    env: environment,
    input: false,
  });
  const stop = () => void endGroup(child);
  signal?.addEventListener("abort", stop, { once: true });
  const [out, err] = await Promise.all([read(stdout, most), read(stderr, 64 * 1024), child.exited]);
  signal?.removeEventListener("abort", stop);
  return { code: child.exitCode, stdout: out.text, stderr: err.text.trim(), cut: out.cut };
}

/** What git may take to remove its locks. */
const goodbyeMs = 1000;

/** With its filters, which would hold its output open. */
async function endGroup({ pid, exited }: { pid: number; exited: Promise<unknown> }): Promise<void> {
  const strike = (signal: NodeJS.Signals) => {
    try {
      process.kill(-pid, signal);
    } catch {
      // It was faster.
    }
  };
  strike("SIGTERM");
  await within<unknown>(exited, goodbyeMs, undefined);
  strike("SIGKILL");
}

/** The same where only success will do. */
export async function git(cwd: string, args: readonly string[], options?: GitOptions): Promise<string> {
  const said = await tryGit(cwd, args, options);
  if (said.code !== 0)
    throw new InboxError(
      "invalid_state",
      `git ${args.find((word) => !word.startsWith("-"))} failed in ${cwd}: ${complaint(said)}`,
    );
  return said.stdout;
}

export const complaint = ({ stderr, stdout, code }: Said) =>
  stderr || stdout.trim() || `it ended with status ${code}`;

/** One line of output, or undefined if there is none. */
export async function line(
  cwd: string,
  args: readonly string[],
  options?: GitOptions,
): Promise<string | undefined> {
  const { code, stdout } = await tryGit(cwd, args, options);
  return code === 0 ? stdout.replace(/\n$/, "") : undefined;
}

export const succeeds = async (cwd: string, args: readonly string[], options?: GitOptions) =>
  (await tryGit(cwd, args, options)).code === 0;

async function read(
  stream: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<{ text: string; cut: boolean }> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream) {
    if (size < limit) pieces.push(piece.slice(0, limit - size));
    size += piece.length;
  }
  return { text: new TextDecoder().decode(Buffer.concat(pieces)), cut: size > limit };
}
