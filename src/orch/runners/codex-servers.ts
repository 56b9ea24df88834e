/** Our MCP server beside those of the user's configuration, which `-c` can add to and change, but never remove from. */
import { join } from "node:path";
import { fs } from "../../platform/system.ts";
import type { Job } from "./runner.ts";

/** A wait over MCP may take 600 s; Codex allows a tool call 60 s. */
const toolTimeout = 660;

type Server = Record<string, unknown>;
type Environment = Readonly<Record<string, string | undefined>>;

/** The keys to set, each with its value. */
export function serverKeys({ cwd, mcp }: Job, env: Environment): Record<string, unknown> {
  const ours = {
    command: mcp.command,
    args: mcp.args,
    // By name: Codex passes only named variables to a server, and arguments are visible to everybody.
    env_vars: Object.keys(mcp.env),
    tool_timeout_sec: toolTimeout,
    default_tools_approval_mode: "approve",
  };
  const theirs = configured("inbox", cwd, env);
  if (!theirs) return under("inbox", ours);
  // A server of the same name may be at an address, or act for another agent: it is disabled, and ours is added.
  const { url, command } = theirs;
  const resting = { ...(url === undefined ? { command } : { url }), enabled: false };
  return { ...under("inbox", resting), ...under("inbox_task", ours) };
}

const under = (name: string, server: Server) =>
  Object.fromEntries(Object.entries(server).map(([key, value]) => [`mcp_servers.${name}.${key}`, value]));

interface Config {
  mcp_servers?: Record<string, Server>;
  sandbox_mode?: string;
}

/** Of the folder, then of the user. */
function* configs(cwd: string, env: Environment): Generator<Config> {
  const home = env.CODEX_HOME || join(env.HOME ?? "/", ".codex");
  for (const folder of [join(cwd, ".codex"), home])
    try {
      yield Bun.TOML.parse(fs().readFileSync(join(folder, "config.toml"), "utf8")) as Config;
    } catch {
      // There is none; or it cannot be read, which Codex reports better.
    }
}

function configured(name: string, cwd: string, env: Environment): Server | undefined {
  for (const { mcp_servers } of configs(cwd, env)) if (mcp_servers?.[name]) return mcp_servers[name];
  return undefined;
}

/** The user's own file lets it do everything. */
export function isOpenSandbox({ cwd }: Job, env: Environment): boolean {
  for (const { sandbox_mode } of configs(cwd, env))
    if (sandbox_mode !== undefined) return sandbox_mode === "danger-full-access";
  return false;
}
