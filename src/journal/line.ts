/** [U5] An entry as a line of the journal. */
import type { Entry } from "../contract/entry.ts";

/** As in the journal; fields that only a message has come last. Fields that change later are not in it. */
export function journalLine({ id, ts, workspaceId, workspaceLabel, docs, comments, ...rest }: Entry): string {
  const { kind, threadId, messageId, choices, sender } = rest;
  const message =
    messageId === null ? {} : { sender, kind, threadId, messageId, ...(choices && { choices }) };
  return JSON.stringify({ id, ts, workspaceId, workspaceLabel, docs, comments, ...message });
}

/** The id of a line's entry; undefined if it cannot be parsed. */
export function idIn(line: Uint8Array): string | undefined {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
    const id = (parsed as { id?: unknown } | null)?.id;
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined;
  }
}
