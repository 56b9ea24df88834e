/** Where files of the queue are on this machine: the profile file, and a folder for each task. */

import { engineAt } from "../engines/registry.ts";
import { besideDatabase, databaseFile, folderOf } from "../location/locate.ts";
import { join, resolve } from "../platform/path.ts";
import { configFolder, type Environment, stateFolder } from "../platform/user-folders.ts";

/** Loaded only when needed: it takes longer than most of what a command does. */
const os = () => require("node:os") as typeof import("node:os");

export const thisHost = () => os().hostname();

/**
 * [Q8] The file that INBOX_PROFILES names; else the one beside the database file or, for a bus on a server, the
 * user's own. Never one in the working directory.
 */
export function profilesFile(location: string, env: Environment): string {
  if (env.INBOX_PROFILES) return resolve(env.INBOX_PROFILES);
  return besideDatabase(location, "agents.toml") ?? join(configFolder(env), "agents.toml");
}

/** [X7] Named by the user, or in the user's own folder: nobody else has put it there. */
export const isUsersOwn = (file: string, env: Environment): boolean =>
  file === join(configFolder(env), "agents.toml") ||
  (!!env.INBOX_PROFILES && file === resolve(env.INBOX_PROFILES));

/** For a process that is started in another folder: the file that the user has named, as an absolute path. */
export const profilesVariable = (env: Environment): Record<string, string> =>
  env.INBOX_PROFILES ? { INBOX_PROFILES: resolve(env.INBOX_PROFILES) } : {};

/** The folder of all tasks of a bus. */
export const tasksFolder = (location: string, env: Environment) => folderOf(location, env, "tasks");

/** [A1] The folder of all worktrees of a bus: outside the repository, where tools of the repository would find them. */
export function worktreesFolder(location: string, env: Environment): string {
  const file = databaseFile(location);
  const bus = file === undefined ? engineAt(location).pathName(location) : `file-${digest(file)}`;
  return join(stateFolder(env), "worktrees", bus);
}

const digest = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 12);

export const taskFolder = (tasks: string, number: number) => join(tasks, String(number));
export const transcriptFile = (folder: string) => join(folder, "transcript.jsonl");
export const seenFile = (folder: string) => join(folder, "seen.json");
export const endingFile = (folder: string) => join(folder, "ending.json");
