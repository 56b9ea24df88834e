/** What a service manager needs to know about a hub. */
import { join } from "node:path";
import type { Manager } from "../contract/hub-state.ts";
import { fs } from "../platform/system.ts";
import type { Environment } from "../platform/user-folders.ts";
import type { HubFolder } from "./hub-folder.ts";

export interface Unit {
  /** Unique for each bus, and the same every time. */
  id: string;
  /** For people: which bus it is for. */
  title: string;
  /** The program and its arguments. */
  words: readonly string[];
  variables: Record<string, string>;
  folder: HubFolder;
  /** Where the manager's files and programs are found. */
  env: Environment;
}

/** How a hub is kept running in the background. */
export interface Keeper {
  manager: Manager;
  /** Whether this system has it, for this user. */
  isThere(env: Environment): boolean;
  /** Starts it; whether it serves is known from its output. */
  start(unit: Unit): void;
  /** Ends it if it was started here, and removes it: it does not start at the next login. */
  stop(unit: Unit): void;
  /** Whether the hub starts again after a reboot, and when. */
  comesBack: "at login" | "not";
}

/** A manager's own file about it. It may contain a password, in an address. */
export function writeUnit(folder: string, name: string, text: string): string {
  const file = join(folder, name);
  fs().mkdirSync(folder, { recursive: true });
  fs().writeFileSync(file, text, { mode: 0o600 });
  return file;
}

/** Runs a manager's program; throws its error output if it fails. */
export function command(words: readonly string[], env: Environment): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...words], {
    env: env as Record<string, string>,
    stdin: "ignore",
    timeout: 20_000,
  });
  if (exitCode !== 0)
    throw new Error(`${words.join(" ")} failed: ${stderr.toString().trim() || `exit code ${exitCode}`}`);
  return stdout.toString();
}
