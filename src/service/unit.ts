/** What a service manager has to know of a hub that it is to keep running. */
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
  /** Begins it; whether it serves is seen from what it says. */
  start(unit: Unit): void;
  /** Ends it if it is this one's, and forgets it: it does not come back with the next login. */
  stop(unit: Unit): void;
  /** Whether the hub comes back after a reboot, and from when on. */
  comesBack: "at login" | "not";
}

/** A manager's own file about it. It may hold a password, in an address. */
export function writeUnit(folder: string, name: string, text: string): string {
  const file = join(folder, name);
  fs().mkdirSync(folder, { recursive: true });
  fs().writeFileSync(file, text, { mode: 0o600 });
  return file;
}

/** Runs a manager's program; throws with what it says where it fails. */
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
