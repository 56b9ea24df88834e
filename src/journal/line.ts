/** [U5] An entry as a line of the journal. */
import type { Entry } from "../contract/entry.ts";

/** As the journal has it; what is only there where the entry is a message comes after it. What changes later is not in it. */
export function journalLine({ id, ts, workspaceId, workspaceLabel, docs, comments, ...rest }: Entry): string {
  const { kind, threadId, messageId, choices, sender } = rest;
  const message =
    messageId === null ? {} : { sender, kind, threadId, messageId, ...(choices && { choices }) };
  return JSON.stringify({ id, ts, workspaceId, workspaceLabel, docs, comments, ...message });
}

/** Whose line it is; undefined for one that nobody can read. */
export function idIn(line: Uint8Array): string | undefined {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
    const id = (parsed as { id?: unknown } | null)?.id;
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined;
  }
}
