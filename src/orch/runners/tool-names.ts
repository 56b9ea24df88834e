/** The result of a tool names only the id of its call; this remembers the name of the tool. */
import type { Talk } from "./runner.ts";

export interface ToolNames {
  /** Whether a call has no result yet. */
  open(id: unknown): boolean;
  used(id: unknown, tool: string, input: unknown): Promise<void>;
  answered(id: unknown, text: string): Promise<void>;
}

/** Records the tool calls and results of a program. */
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
