/** Where programs of this user keep things, by the XDG Base Directory Specification: a path that is not absolute is ignored. */
import { join } from "node:path";

export type Environment = Record<string, string | undefined>;

const home = (env: Environment) =>
  env.HOME?.startsWith("/") ? env.HOME : (require("node:os") as typeof import("node:os")).homedir();

const under = (named: string | undefined, env: Environment, ...usual: string[]) =>
  join(named?.startsWith("/") ? named : join(home(env), ...usual), "restante");

export const stateFolder = (env: Environment) => under(env.XDG_STATE_HOME, env, ".local", "state");
export const configFolder = (env: Environment) => under(env.XDG_CONFIG_HOME, env, ".config");
