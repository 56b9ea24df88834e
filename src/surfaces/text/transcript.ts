/** What a sub-agent said and did, an entry at a time. */
import type { TranscriptEntry } from "../../contract/transcript.ts";
import type { Paint } from "./paint.ts";
import { safe } from "./safe.ts";

export function transcriptText(entry: TranscriptEntry, paint: Paint): string {
  const { kind, tool } = entry;
  const colour = {
    prompt: paint.cyan,
    tool: paint.yellow,
    response: paint.dim,
    output: undefined,
    error: paint.red,
    notice: paint.magenta,
    final: paint.green,
  }[kind];
  const text = safe(entry.text).trimEnd();
  if (!colour) return text;
  const head = colour(tool === undefined ? kind : `${kind} ${safe(tool)}`);
  return `${head}\n${text.replace(/^/gm, "  ")}`;
}
