/** What every script needs first: the packages installed, and the path of Bun. Runs on plain Node. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const newest = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

/** Installs from the lock file where nothing is installed yet, or the lock file is newer. */
export function install() {
  const lock = join(root, "package-lock.json");
  if (newest(join(root, "node_modules/.package-lock.json")) >= newest(lock) && bunPath()) return;
  console.error("Installing packages (npm ci) …");
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
  if (!bunPath()) throw new Error("npm ci ran, but the bun package brought no program for this machine");
}

/** The linked program; or, where the package's install script may not run, the one in the platform's package. */
export function bunPath() {
  const linked = join(root, "node_modules/bun/bin/bun.exe");
  if (existsSync(linked) && statSync(linked).size > 1_000_000) return linked;
  const platforms = join(root, "node_modules/@oven");
  if (!existsSync(platforms)) return undefined;
  return readdirSync(platforms)
    .map((name) => join(platforms, name, "bin/bun"))
    .find((path) => existsSync(path));
}

/** Nothing of the working directory or the environment may steer the runtime. */
export function cleanEnvironment() {
  const { BUN_OPTIONS, BUN_BE_BUN, ...env } = process.env;
  return env;
}

export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: "inherit",
    env: cleanEnvironment(),
    ...options,
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

export const runBun = (args, options) =>
  run(bunPath(), [`--config=${join(root, "bunfig.toml")}`, "--no-env-file", ...args], options);
