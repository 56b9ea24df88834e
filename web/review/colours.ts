/** The colours of a patch. A hunk is coloured in parts, when they are first shown: of a long one most is never looked at. */
import { signal } from "@preact/signals";
import type { highlightLines, Piece } from "../documents/highlight.ts";
import { languageOf } from "../documents/kinds.ts";
import type { Hunk, PatchLine } from "./patch.ts";

const highlight = signal<typeof highlightLines | undefined>(undefined);
let loading = false;

async function load(): Promise<void> {
  if (loading) return;
  loading = true;
  try {
    highlight.value = (await import("../documents/highlight.ts")).highlightLines;
  } catch {
    loading = false; // the line is down: it stays plain until it is asked for again
  }
}

/** Lines of a part, and characters beyond which a line is shown plain. */
const partLines = 200;
const longestLine = 2000;

const coloured = new WeakMap<PatchLine, Piece[]>();
const parts = new WeakMap<Hunk, Set<number>>();

/** A line in colours; undefined while they are not there, and where there are none. */
export function coloursOf(path: string, hunk: Hunk, at: number): Piece[] | undefined {
  const paint = highlight.value;
  if (!paint) {
    void load();
    return undefined;
  }
  const part = Math.floor(at / partLines);
  const done = parts.get(hunk) ?? new Set();
  if (!done.has(part)) {
    parts.set(hunk, done.add(part));
    const lines = hunk.lines.slice(part * partLines, (part + 1) * partLines);
    for (const kind of ["removed", "added"] as const) paintSide(paint, path, lines, kind);
  }
  return coloured.get(hunk.lines[at]!);
}

/** Each side by itself is source: with both mixed the colours would be wrong. */
function paintSide(
  paint: typeof highlightLines,
  path: string,
  lines: readonly PatchLine[],
  kind: "removed" | "added",
): void {
  const side = lines.filter((line) => line.kind === "same" || line.kind === kind);
  const text = side.map((line) => (line.text.length > longestLine ? "" : line.text)).join("\n");
  const painted = paint(text, languageOf(path));
  if (!painted) return;
  for (const [i, line] of side.entries())
    if (line.text.length <= longestLine && painted[i]) coloured.set(line, painted[i]);
}
