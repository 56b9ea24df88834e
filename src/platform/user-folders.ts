/** The folders for files of this user, by the XDG Base Directory Specification: a path that is not absolute is ignored. */
import { join } from "./path.ts";

export type Environment = Record<string, string | undefined>;

export const homeFolder = (env: Environment) =>
  env.HOME?.startsWith("/") ? env.HOME : (require("node:os") as typeof import("node:os")).homedir();

const named = (folder: string | undefined, env: Environment, ...usual: string[]) =>
  folder?.startsWith("/") ? folder : join(homeFolder(env), ...usual);

/** Where all programs keep their settings. */
export const configHome = (env: Environment) => named(env.XDG_CONFIG_HOME, env, ".config");
export const stateFolder = (env: Environment) =>
  join(named(env.XDG_STATE_HOME, env, ".local", "state"), "restante");
export const configFolder = (env: Environment) => join(configHome(env), "restante");
