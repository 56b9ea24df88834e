/**
 * [A5.8] Whether this process was started in the shell of an agent program. Each of these programs sets one of these variables for
 * the commands that its model runs; the first two are for all of them.
 */
const marks = [
  "AI_AGENT",
  "AGENT",
  "CLAUDECODE",
  "CODEX_SANDBOX",
  "CODEX_SANDBOX_NETWORK_DISABLED",
  "CODEX_THREAD_ID",
  "CURSOR_AGENT",
  "GEMINI_CLI",
  "OPENCODE",
  "OPENCODE_CLIENT",
  "CLINE_ACTIVE",
  "AUGMENT_AGENT",
];

/** The environment of a program that is not the model's. */
export const unmarked = <E extends Readonly<Record<string, string | undefined>>>(env: E): E =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !marks.includes(name))) as E;

export const isAgentShell = (env: Readonly<Record<string, string | undefined>>): boolean =>
  marks.some((mark) => env[mark]);
