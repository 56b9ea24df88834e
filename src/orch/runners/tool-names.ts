/** A tool's answer names only the call it answers: which tool was it? */
import type { Talk } from "./runner.ts";

export interface ToolNames {
  /** Whether a call was noted that has no answer yet. */
  open(id: unknown): boolean;
  used(id: unknown, tool: string, input: unknown): Promise<void>;
  answered(id: unknown, text: string): Promise<void>;
}

/** Notes what a program does with its tools. */
export function toolNames(note: Talk["note"]): ToolNames {
  const names = new Map<unknown, string>();
  return {
    open: (id) => names.has(id),
    async used(id, tool, input) {
      names.set(id, tool);
      await note({ kind: "tool", tool, text: wordsOf(input) });
    },
    async answered(id, text) {
      const tool = names.get(id);
      names.delete(id);
      await note({ kind: "response", text, ...(tool !== undefined && { tool }) });
    },
  };
}

export const wordsOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);

/** The text of content blocks as the Messages API and MCP have them; other blocks by their type. */
export function textIn(content: unknown): string {
  if (!Array.isArray(content)) return wordsOf(content);
  return content
    .map((block: { type?: string; text?: unknown }) =>
      typeof block?.text === "string" ? block.text : `(${block?.type ?? "nothing"})`,
    )
    .join("\n");
}
