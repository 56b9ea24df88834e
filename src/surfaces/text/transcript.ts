/** What a sub-agent said and did, an entry at a time. */
import type { TranscriptEntry } from "../../contract/transcript.ts";
import type { Paint } from "./paint.ts";
import { safe } from "./safe.ts";

const goesOn = (before: TranscriptEntry | undefined, { kind }: TranscriptEntry) =>
  before?.open === true && before.kind === kind;

/** An entry, with the line break between it and the one before; the last line is left without one. */
export function transcriptText(
  entry: TranscriptEntry,
  paint: Paint,
  before: TranscriptEntry | undefined,
): string {
  const { kind, tool, open } = entry;
  const colour = {
    prompt: paint.cyan,
    tool: paint.yellow,
    response: paint.dim,
    output: undefined,
    stderr: paint.red,
    error: paint.red,
    notice: paint.magenta,
    final: paint.green,
  }[kind];
  const text = open ? safe(entry.text) : safe(entry.text).trimEnd();
  if (goesOn(before, entry)) return colour ? text.replaceAll("\n", "\n  ") : text;
  const lead = before ? "\n" : "";
  if (!colour) return lead + text;
  const head = colour(tool === undefined ? kind : `${kind} ${safe(tool)}`);
  return `${lead}${head}\n${text.replace(/^/gm, "  ")}`;
}
