/** [Q4] The environment of a sub-agent, and what must not be passed on to it. */

import { platformVariable } from "../platform/portable.ts";
import bunVariables from "./bun-variables.json" with { type: "json" };
import { markName } from "./find-tree.ts";

/** Variables about one agent or one process, never passed on to another. */
export const personal: readonly string[] = [
  // The address of the bus, with its password: only processes that may know it get it.
  "INBOX_DB",
  "INBOX_DELIVERY",
  "INBOX_AGENT",
  "CAO_TERMINAL_ID",
  "INBOX_PARENT",
  "INBOX_THREAD",
  "INBOX_TASK",
  "INBOX_URL",
  "INBOX_TOKEN",
  "INBOX_MODEL",
  "INBOX_PROMPT",
  "INBOX_RUNNER",
  "INBOX_PROGRAM",
  "INBOX_SHELL",
  "INBOX_KEEP",
  "INBOX_SUPERVISOR",
  "INBOX_PROFILES",
  "INBOX_SERVICE",
  "INBOX_UNTIL",
  "INBOX_SHOWN",
  markName,
  // They would make our own runtime load code that it must not load.
  ...bunVariables,
];

type Environment = Record<string, string | undefined>;

/** The environment without the variables about the present process. */
export function impersonal(env: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && !personal.includes(name)) kept[name] = value;
  return kept;
}

/** Where the user's files are, what the user trusts, and how the machine is examined: the same for every process of a bus. */
export const places: readonly string[] = [
  "XDG_STATE_HOME",
  "XDG_CONFIG_HOME",
  "INBOX_TRUST",
  "INBOX_PROFILES",
  platformVariable,
];

export const placeVariables = (env: Environment): Record<string, string> =>
  Object.fromEntries(places.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));

export interface Identity {
  name: string;
  parent: string;
  /** Where tokens are used it is a hub's address: a process with access to the database needs no token. */
  db: string;
  delivery?: string;
  thread: string;
  task: string;
  url: string | null;
  token: string | null;
  profile: string | null;
  model: string | null;
  /** The mark by which everything that the task starts is found again. */
  mark: string;
  /** A folder with `inbox` and `orch` in it. */
  programs: string;
}

/** The sub-agent's identity. Its model and profile become the defaults of the tasks it pushes. */
export function identityVariables(identity: Identity): Record<string, string> {
  const { name, parent, db, delivery, thread, task, url, token, profile, model, mark } = identity;
  return {
    INBOX_AGENT: name,
    CAO_TERMINAL_ID: name,
    INBOX_PARENT: parent,
    INBOX_DB: db,
    ...(delivery !== undefined && { INBOX_DELIVERY: delivery }),
    INBOX_THREAD: thread,
    INBOX_TASK: task,
    ...(url !== null && { INBOX_URL: url }),
    ...(token !== null && { INBOX_TOKEN: token }),
    ...(profile !== null && { INBOX_RUNNER: profile }),
    ...(model !== null && { INBOX_MODEL: model }),
    [markName]: mark,
  };
}

export const onPath = (folder: string, path: string | undefined) => (path ? `${folder}:${path}` : folder);
