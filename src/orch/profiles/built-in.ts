/** [Q8] The agent programs that need no profile file: their names, and how to install them. */
import type { RunnerSettings } from "./profile.ts";

export type Kind = RunnerSettings["kind"];
export const kinds: readonly Kind[] = ["command", "claude", "codex", "gemini", "opencode", "acp"];

export interface BuiltIn {
  program: string;
  get: string;
}

/** In the order in which they are looked for if none is named. */
export const builtIns = {
  claude: { program: "claude", get: "npm install -g @anthropic-ai/claude-code" },
  codex: { program: "codex", get: "npm install -g @openai/codex" },
  gemini: { program: "gemini", get: "npm install -g @google/gemini-cli" },
  opencode: { program: "opencode", get: "npm install -g opencode-ai" },
} as const satisfies Partial<Record<Kind, BuiltIn>>;

export const builtInOf = (kind: string): BuiltIn | undefined =>
  Object.hasOwn(builtIns, kind) ? builtIns[kind as keyof typeof builtIns] : undefined;

/** How to install a program that is missing. */
export function wayToGet({ name, kind, command }: RunnerSettings): string {
  const builtIn = builtInOf(kind);
  const program = command[0]!;
  if (builtIn?.program === program) return builtIn.get;
  return program.includes("/")
    ? `make ${program} a program that can be run, or write another path in [runners.${name}] command`
    : `put ${program} on PATH, or write its path in [runners.${name}] command`;
}
