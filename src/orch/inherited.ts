/**
 * [X12] Which variables a sub-agent inherits: a list. An environment holds whatever its user is trusted with, and a sub-agent
 * needs little of it: where programs and files are, how text is written, and the keys of its own program.
 */

import { personal, places } from "./environment.ts";
import type { Kind } from "./profiles/built-in.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A name, or the beginning of names with a `*` behind it. */
const everybody = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "XDG_*"],
  ...["LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "COLORTERM", "NO_COLOR"],
  // What is about one process is never inherited, whoever names it.
  "INBOX_*",
];

/** How a program reaches its model. */
const network = [
  ...[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
  ],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"],
];

/** Settings and keys of the agent programs we know. */
const own: Record<Kind, readonly string[]> = {
  command: [],
  acp: network,
  claude: [
    ...network,
    "ANTHROPIC_*",
    "CLAUDE_*",
    "IS_SANDBOX",
    "DISABLE_*",
    "MCP_*",
    "MAX_*",
    "API_TIMEOUT_MS",
  ],
  codex: [...network, "OPENAI_*", "CODEX_*", "AZURE_OPENAI_*"],
  gemini: [...network, "GEMINI_*", "GOOGLE_*"],
  opencode: [
    ...[...network, "OPENCODE_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "GOOGLE_*", "OPENROUTER_*"],
    ...["GROQ_*", "MISTRAL_*", "DEEPSEEK_*", "XAI_*"],
  ],
};

/** Where a model is served by a cloud, that cloud's keys are the program's. */
const clouds: Readonly<Record<string, readonly string[]>> = {
  CLAUDE_CODE_USE_BEDROCK: ["AWS_*"],
  CLAUDE_CODE_USE_VERTEX: ["GOOGLE_*", "CLOUD_ML_*", "VERTEX_*"],
};

interface Heir {
  kind: Kind;
  /** Variables that the file of profiles names. */
  passEnv: readonly string[];
}

export function inherited(env: Environment, { kind, passEnv }: Heir): Record<string, string> {
  const cloud = kind === "claude" ? Object.keys(clouds).filter((name) => env[name]) : [];
  return chosen(env, [...everybody, ...own[kind], ...cloud.flatMap((name) => clouds[name]!), ...passEnv]);
}

export function chosen(env: Environment, names: readonly string[]): Record<string, string> {
  const exact = new Set(names);
  const beginnings = names.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    // What is trusted is the supervisor's to say, and no pusher's.
    if (value === undefined || personal.includes(name) || places.includes(name)) continue;
    if (exact.has(name) || beginnings.some((beginning) => name.startsWith(beginning))) kept[name] = value;
  }
  return kept;
}
