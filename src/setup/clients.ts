/** Where each client keeps its MCP servers, and in which format. */
import { join } from "node:path";
import type { ParsedOf } from "../contract/operations/index.ts";
import { fs } from "../platform/system.ts";

export type ClientName = ParsedOf<"bus.setup">["client"];
export type Scope = ParsedOf<"bus.setup">["scope"];
export type Entry = Record<string, unknown>;
export type Env = Record<string, string | undefined>;

/** The content of an entry, before it is written in a client's format. */
export type Server =
  | { command: string; args: string[]; agent?: string }
  /** `token`: the client has to send the value of its variable INBOX_TOKEN. */
  | { url: string; token: boolean };

export interface Client {
  /** Its name for people. */
  title: string;
  /** It counts as installed if one of these programs exists. */
  programs: readonly string[];
  /** [N5] The command that resumes its last session in the current folder. */
  session: string;
  format: "json" | "jsonc" | "toml";
  file: (scope: Scope, cwd: string, home: string, env: Env) => string;
  /** The keys that lead to the table of servers, given what is in the file. */
  servers: (config: Entry) => string[];
  entry: (server: Server) => Entry;
  /** The keys of an entry that we write; keys that a user has added are kept. */
  keys: readonly string[];
  /** Arguments for a client that does not start its servers in the project's folder. */
  place?: (scope: Scope) => string[];
}

const mcpServers = () => ["mcpServers"];
const envOf = (agent: string | undefined) => agent !== undefined && { INBOX_AGENT: agent };
const bearer = (variable: string) => ({ headers: { Authorization: `Bearer ${variable}` } });
const inWorkspace = ["--db", `\${workspaceFolder}/.agents/coord.db`];

function plainEntry({ command, args, agent }: Extract<Server, { command: string }>): Entry {
  const env = envOf(agent);
  return { command, args, ...(env && { env }) };
}

export const clients: Record<ClientName, Client> = {
  claude: {
    title: "Claude Code",
    programs: ["claude"],
    session: "claude --continue",
    format: "json",
    file: (scope, cwd, home) => (scope === "project" ? join(cwd, ".mcp.json") : join(home, ".claude.json")),
    servers: mcpServers,
    entry: (server) =>
      "url" in server
        ? { type: "http", url: server.url, ...(server.token && bearer("$" + "{INBOX_TOKEN}")) }
        : { type: "stdio", ...plainEntry(server) },
    keys: ["type", "command", "args", "env", "url", "headers"],
  },
  codex: {
    title: "Codex",
    programs: ["codex"],
    session: "codex resume --last",
    format: "toml",
    file: (scope, cwd, home, env) =>
      join(scope === "project" ? join(cwd, ".codex") : env.CODEX_HOME || join(home, ".codex"), "config.toml"),
    servers: () => ["mcp_servers"],
    entry: (server) => {
      if ("url" in server)
        return { url: server.url, ...(server.token && { bearer_token_env_var: "INBOX_TOKEN" }) };
      // Codex passes only named variables to a server.
      const passed = ["INBOX_DB", "INBOX_TOKEN", ...(server.agent === undefined ? ["INBOX_AGENT"] : [])];
      return { ...plainEntry(server), env_vars: passed };
    },
    keys: ["command", "args", "env", "env_vars", "url", "bearer_token_env_var"],
  },
  gemini: {
    title: "Gemini CLI",
    programs: ["gemini"],
    session: "gemini --resume",
    format: "jsonc",
    file: (scope, cwd, home) => join(scope === "project" ? cwd : home, ".gemini", "settings.json"),
    servers: mcpServers,
    entry: (server) =>
      "url" in server
        ? { httpUrl: server.url, ...(server.token && bearer("$INBOX_TOKEN")) }
        : plainEntry(server),
    keys: ["command", "args", "env", "httpUrl", "headers"],
  },
  cursor: {
    title: "Cursor",
    programs: ["cursor", "cursor-agent"],
    session: "cursor .",
    format: "jsonc",
    file: (scope, cwd, home) => join(scope === "project" ? cwd : home, ".cursor", "mcp.json"),
    servers: mcpServers,
    entry: (server) =>
      "url" in server
        ? { url: server.url, ...(server.token && bearer("$" + "{env:INBOX_TOKEN}")) }
        : plainEntry(server),
    keys: ["command", "args", "env", "url", "headers"],
    place: () => inWorkspace,
  },
  vscode: {
    title: "VS Code",
    programs: ["code"],
    session: "code .",
    format: "jsonc",
    file: (scope, cwd, home, env) =>
      scope === "project" ? join(cwd, ".vscode", "mcp.json") : join(codeFolder(home, env), "mcp.json"),
    servers: () => ["servers"],
    entry: (server) =>
      "url" in server
        ? { type: "http", url: server.url, ...(server.token && bearer("$" + "{env:INBOX_TOKEN}")) }
        : { type: "stdio", ...plainEntry(server) },
    keys: ["type", "command", "args", "env", "url", "headers"],
    // A user's configuration is also read without an open folder.
    place: (scope) => (scope === "project" ? inWorkspace : []),
  },
  opencode: {
    title: "OpenCode",
    programs: ["opencode"],
    session: "opencode --continue",
    format: "jsonc",
    file: (scope, cwd, home, env) => {
      const folder =
        scope === "project" ? cwd : join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
      const commented = join(folder, "opencode.jsonc");
      const plain = join(folder, "opencode.json");
      return !fs().existsSync(plain) && fs().existsSync(commented) ? commented : plain;
    },
    // Version 2 has another table, and reads the format of version 1 too.
    servers: ({ mcp }) => {
      const inner = (mcp as Entry | undefined)?.servers;
      return isTable(inner) && typeof inner.type !== "string" ? ["mcp", "servers"] : ["mcp"];
    },
    entry: (server) => {
      if ("url" in server)
        return { type: "remote", url: server.url, ...(server.token && bearer("{env:INBOX_TOKEN}")) };
      const environment = envOf(server.agent);
      return {
        type: "local",
        command: [server.command, ...server.args],
        ...(environment && { environment }),
      };
    },
    keys: ["type", "command", "environment", "url", "headers"],
  },
};

export const clientNames = Object.keys(clients) as ClientName[];

export const isTable = (value: unknown): value is Entry =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function codeFolder(home: string, env: Env): string {
  if (process.platform === "darwin") return join(home, "Library", "Application Support", "Code", "User");
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), "Code", "User");
}
