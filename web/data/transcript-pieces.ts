/** A transcript as it is read: what belongs together is one piece, and what is said twice is shown once. */
import type { TranscriptEntry } from "./transcript.ts";

export interface Piece extends TranscriptEntry {
  /** Stays the same while a piece grows, at either end. */
  key: number;
}

/** A piece that is longer is not added to: drawing the whole again for every line would take longer and longer. */
const longestPiece = 20_000;

/** What a program prints comes in pieces of any length, which are joined; what an agent says is whole. */
const goesOn = (before: TranscriptEntry | undefined, entry: TranscriptEntry): before is TranscriptEntry =>
  before?.kind === entry.kind &&
  before.text.length < longestPiece &&
  (before.open || (["output", "stderr", "error"].includes(entry.kind) && before.text.endsWith("\n")));

/** What was known, with what has come since. */
export function withLater(known: readonly Piece[], later: readonly TranscriptEntry[]): Piece[] {
  const pieces = [...known];
  for (const entry of later) {
    const before = pieces.at(-1);
    if (goesOn(before, entry))
      pieces[pieces.length - 1] = { ...entry, key: before!.key, text: before.text + entry.text };
    else {
      if (entry.kind === "final") dropRepeated(pieces, entry.text.trim());
      pieces.push({ ...entry, key: entry.n });
    }
  }
  return pieces;
}

/** What was known, with what was before it. */
export function withEarlier(known: readonly Piece[], earlier: readonly TranscriptEntry[]): Piece[] {
  const before = withLater([], earlier);
  const [first, ...rest] = known;
  const last = before.at(-1);
  if (!first || !goesOn(last, first)) return [...before, ...known];
  return [...before.slice(0, -1), { ...first, text: last.text + first.text }, ...rest];
}

/** The final message is what the program said last: it is shown once, as the final message. */
function dropRepeated(pieces: Piece[], final: string): void {
  const repeated: number[] = [];
  let said = "";
  for (let at = pieces.length - 1; at >= 0; at--) {
    const { kind, text } = pieces[at]!;
    if (kind === "final" || kind === "prompt") return;
    if (kind !== "output") continue;
    said = text + said;
    repeated.push(at);
    if (said.trim() === final) break;
    if (!final.endsWith(said.trim())) return;
    if (at === 0) return;
  }
  if (said.trim() !== final) return;
  for (const at of repeated) pieces.splice(at, 1);
}
