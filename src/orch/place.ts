/** Where things of the queue lie on this machine: profiles, and a folder a task. */
import { dirname, join } from "node:path";
import { isHub, isServer } from "../location.ts";
import { exists } from "../system.ts";

/** Loaded by those that ask: it takes longer than most of what a command does. */
const os = () => require("node:os") as typeof import("node:os");

export const thisHost = () => os().hostname();

/** [Q8] Beside a database file; else the nearest one from the working directory upwards. */
export function profilesFile(
  location: string,
  cwd: string,
  env: Record<string, string | undefined>,
): string | undefined {
  if (env.INBOX_PROFILES) return env.INBOX_PROFILES;
  if (!isServer(location) && !isHub(location)) return join(dirname(location), "agents.toml");
  for (let folder = cwd; ; folder = dirname(folder)) {
    const file = join(folder, ".agents", "agents.toml");
    if (exists(file)) return file;
    if (dirname(folder) === folder) return undefined;
  }
}

/** The folder of all tasks of a bus: beside the database file, else where programs of this user keep such things. */
export function tasksFolder(location: string, env: Record<string, string | undefined>): string {
  if (!isServer(location)) return `${location}-tasks`;
  const state = env.XDG_STATE_HOME || join(os().homedir(), ".local", "state");
  const { host, pathname, searchParams } = new URL(location.replace(/,.*?(?=[/?]|$)/, ""));
  const bus = [host, pathname.slice(1), searchParams.get("schema") ?? ""].filter(Boolean).join("_");
  return join(state, "restante", `${bus.replace(/[^\w.-]/g, "_")}-tasks`);
}

export const taskFolder = (tasks: string, number: number) => join(tasks, String(number));
export const transcriptFile = (folder: string) => join(folder, "transcript.jsonl");
export const endingFile = (folder: string) => join(folder, "ending.json");
