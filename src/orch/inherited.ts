/**
 * [X12] The variables that a sub-agent inherits, as a list. An environment contains everything its user is trusted
 * with, and a sub-agent needs little of it: where programs and files are, the locale, and the keys of its own
 * program.
 */

import { personal, places } from "./environment.ts";
import type { Kind } from "./profiles/built-in.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A name, or a prefix of names followed by `*`. */
const everybody = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "XDG_*"],
  ...["LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "COLORTERM", "NO_COLOR"],
  // Variables about one process are never inherited, even if they are listed.
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

/** If a cloud serves the model, the program needs that cloud's keys. */
const clouds: Readonly<Record<string, readonly string[]>> = {
  CLAUDE_CODE_USE_BEDROCK: ["AWS_*"],
  CLAUDE_CODE_USE_VERTEX: ["GOOGLE_*", "CLOUD_ML_*", "VERTEX_*"],
};

interface Heir {
  kind: Kind;
  /** Variables that the profile file names. */
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
    // The supervisor decides what is trusted, not the agent that pushes.
    if (value === undefined || personal.includes(name) || places.includes(name)) continue;
    if (exact.has(name) || beginnings.some((beginning) => name.startsWith(beginning))) kept[name] = value;
  }
  return kept;
}
