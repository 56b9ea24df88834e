/**
 * Real agent programs, where they are: `TEST_CLAUDE` and so on, else by name on the path. Nothing here downloads them.
 * Each has a home of its own, a model on loopback that says what a test has written down, and no way out.
 */
import { join } from "node:path";
import { scriptedGemini } from "./scripted-gemini.ts";
import { type Script, type ScriptedModel, scriptedModel } from "./scripted-model.ts";
import { scriptedOpenai } from "./scripted-openai.ts";

export interface AgentProgram {
  name: "claude" | "codex" | "gemini" | "opencode";
  program: string | undefined;
  resumes: boolean;
  model: string;
  scripted(script: Script): ScriptedModel;
  /** Makes it speak to the model at `url`, by its home and its environment. */
  settle(home: string, url: string): Promise<Record<string, string>>;
  /** What `inbox setup` or a user may have written down before: a server of our name that is not ours. */
  other(project: string, home: string): Promise<void>;
  /** Makes a file by the program's own shell; nothing where it never asks. */
  shell?: (path: string) => { name: string; input: object };
}

const put = (path: string, value: unknown) => Bun.write(path, JSON.stringify(value)).then(() => {});
const codexConfig = (home: string) => join(home, ".codex/config.toml");
const stranger = { command: "/bin/false", args: [], env: { INBOX_AGENT: "stranger" } };

const known: Omit<AgentProgram, "program">[] = [
  {
    name: "claude",
    resumes: true,
    model: "claude-sonnet-4-5",
    scripted: scriptedModel,
    settle: async (_, url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "made-up",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_AUTOUPDATER: "1",
      // Root may let it do everything only where it is told that this is a sandbox.
      IS_SANDBOX: "1",
      CLAUDECODE: "1",
    }),
    other: (project) => put(join(project, ".mcp.json"), { mcpServers: { inbox: stranger } }),
    shell: (path) => ({ name: "Bash", input: { command: `touch ${path}`, description: "make a file" } }),
  },
  {
    name: "codex",
    resumes: true,
    model: "made-up-model",
    scripted: scriptedOpenai,
    async settle(home, url) {
      const lines = [
        'model_provider = "scripted"',
        "[model_providers.scripted]",
        'name = "scripted"',
        `base_url = "${url}"`,
        'env_key = "MADE_UP_KEY"',
        'wire_api = "responses"',
        "request_max_retries = 0",
        "stream_max_retries = 0",
        "",
      ];
      await Bun.write(codexConfig(home), lines.join("\n"));
      return { MADE_UP_KEY: "made-up", CODEX_HOME: join(home, ".codex") };
    },
    async other(_, home) {
      const before = await Bun.file(codexConfig(home)).text();
      const entry = '[mcp_servers.inbox]\nurl = "http://127.0.0.1:9/mcp"\n';
      await Bun.write(codexConfig(home), before + entry);
    },
    shell: (path) => ({ name: "exec_command", input: { cmd: `touch ${path}` } }),
  },
  {
    name: "gemini",
    resumes: false,
    model: "gemini-2.5-flash",
    scripted: scriptedGemini,
    settle: async (_, url) => ({ GEMINI_API_KEY: "made-up", GOOGLE_GEMINI_BASE_URL: url }),
    other: (project) => put(join(project, ".gemini/settings.json"), { mcpServers: { inbox: stranger } }),
    shell: (path) => ({ name: "run_shell_command", input: { command: `touch ${path}` } }),
  },
  {
    name: "opencode",
    resumes: true,
    model: "anthropic/claude-sonnet-4-5",
    scripted: scriptedModel,
    async settle(home, url) {
      const options = { baseURL: `${url}/v1`, apiKey: "made-up" };
      const config = { provider: { anthropic: { options } }, autoupdate: false, share: "disabled" };
      await put(join(home, ".config/opencode/opencode.json"), config);
      return {
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      };
    },
    other: (project) =>
      put(join(project, "opencode.json"), {
        mcp: { inbox: { type: "remote", url: "http://127.0.0.1:9/mcp" } },
      }),
  },
];

export const agentPrograms: AgentProgram[] = known.map((one) => ({
  ...one,
  program: process.env[`TEST_${one.name.toUpperCase()}`] || Bun.which(one.name) || undefined,
}));

for (const { name, program } of agentPrograms)
  if (!program)
    console.warn(
      `no ${name} here: set TEST_${name.toUpperCase()} to the program to run its tests, which are skipped`,
    );

/** So that no program reaches anything but the model on loopback. */
export const noWayOut = {
  http_proxy: "http://127.0.0.1:9",
  https_proxy: "http://127.0.0.1:9",
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  no_proxy: "127.0.0.1,localhost",
  NO_PROXY: "127.0.0.1,localhost",
};
