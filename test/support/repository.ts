/** A git repository of a test's own, and git in it, without anything of the user's configuration. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const environment = {
  PATH: process.env.PATH ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
};

export interface Repository {
  path: string;
  git(...args: string[]): string;
  write(name: string, text: string): void;
  read(name: string): string;
  /** Writes files and commits all. */
  commit(message: string, files?: Record<string, string>): string;
  /** A file as a branch or commit has it. */
  at(commit: string, name: string): string;
  /** Everything that a person would see of the checkout: where it is, what is changed, what is in the index. */
  state(): string;
}

export function repositoryIn(
  path: string,
  files: Record<string, string> = { "readme.txt": "hello\n" },
): Repository {
  mkdirSync(path, { recursive: true });
  const git = (...args: string[]) => {
    const said = Bun.spawnSync(["git", ...args], { cwd: path, env: environment });
    if (said.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${said.stderr}`);
    return said.stdout.toString().replace(/\n$/, "");
  };
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  };
  const commit = (message: string, more: Record<string, string> = {}) => {
    for (const [name, text] of Object.entries(more)) write(name, text);
    git("add", "--all");
    git("commit", "--quiet", "--allow-empty", "-m", message);
    return git("rev-parse", "HEAD");
  };
  git("init", "--quiet", "--initial-branch=main");
  writeFileSync(join(path, ".git/info/exclude"), ".agents\n.local\n");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.org");
  if (Object.keys(files).length) commit("first", files);
  return {
    path,
    git,
    write,
    read: (name) => readFileSync(join(path, name), "utf8"),
    commit,
    at: (at, name) => git("show", `${at}:${name}`),
    state: () =>
      [
        git("symbolic-ref", "HEAD"),
        git("rev-parse", "HEAD"),
        git("status", "--porcelain"),
        git("ls-files", "--stage"),
      ].join("\n"),
  };
}
