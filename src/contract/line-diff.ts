/**
 * Which lines of a text were removed and which added, by Myers' algorithm. Its work grows with the square of the
 * number of differences, so that number is limited: texts that differ more count as replaced, except for what they
 * have in common at both ends.
 */
const differencesLimit = 1000;

export interface DiffLine {
  is: "same" | "removed" | "added";
  text: string;
}

export interface Difference {
  lines: readonly DiffLine[];
  added: number;
  removed: number;
}

const linesOf = (text: string) => {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
};

const as = (is: DiffLine["is"], lines: readonly string[]) => lines.map((text) => ({ is, text }));

export function lineDiff(before: string, after: string): Difference {
  const old = linesOf(before);
  const next = linesOf(after);
  let head = 0;
  while (head < old.length && head < next.length && old[head] === next[head]) head++;
  let tail = 0;
  const most = Math.min(old.length, next.length) - head;
  while (tail < most && old[old.length - 1 - tail] === next[next.length - 1 - tail]) tail++;
  const middle = between(old.slice(head, old.length - tail), next.slice(head, next.length - tail));
  const lines = [...as("same", old.slice(0, head)), ...middle, ...as("same", old.slice(old.length - tail))];
  const count = (is: DiffLine["is"]) => middle.reduce((sum, line) => sum + (line.is === is ? 1 : 0), 0);
  return { lines, added: count("added"), removed: count("removed") };
}

/** One array for each number of differences: for each diagonal, the furthest position in `old` that can be reached with them. */
type Trace = Int32Array[];

function between(old: readonly string[], next: readonly string[]): DiffLine[] {
  if (!old.length || !next.length) return [...as("removed", old), ...as("added", next)];
  const trace = traceOf(old, next);
  if (!trace) return [...as("removed", old), ...as("added", next)];
  return walkBack(trace, old, next);
}

/** Whether the last step to a diagonal was an added line (down), not a removed one. */
const wasAdded = (furthest: Int32Array, k: number, d: number, at: number) =>
  k === -d || (k !== d && furthest[at - 1]! < furthest[at + 1]!);

function traceOf(old: readonly string[], next: readonly string[]): Trace | undefined {
  const limit = Math.min(old.length + next.length, differencesLimit);
  const middle = limit + 1;
  const furthest = new Int32Array(2 * limit + 3);
  const trace: Trace = [];
  for (let d = 0; d <= limit; d++) {
    // Only the diagonals that can have been reached: a copy of all would be a thousand times two thousand numbers.
    trace.push(furthest.slice(middle - d - 1, middle + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const at = middle + k;
      let x = wasAdded(furthest, k, d, at) ? furthest[at + 1]! : furthest[at - 1]! + 1;
      while (x < old.length && x - k < next.length && old[x] === next[x - k]) x++;
      furthest[at] = x;
      if (x >= old.length && x - k >= next.length) return trace;
    }
  }
  return undefined;
}

function walkBack(trace: Trace, old: readonly string[], next: readonly string[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let x = old.length;
  let y = next.length;
  for (let d = trace.length - 1; d >= 0; d--) {
    const furthest = trace[d]!;
    const k = x - y;
    const at = d + 1 + k;
    const added = wasAdded(furthest, k, d, at);
    const fromX = d === 0 ? 0 : added ? furthest[at + 1]! : furthest[at - 1]!;
    const fromY = d === 0 ? 0 : fromX - (added ? k + 1 : k - 1);
    while (x > fromX && y > fromY) {
      lines.push({ is: "same", text: old[--x]! });
      y--;
    }
    if (d === 0) break;
    lines.push(added ? { is: "added", text: next[--y]! } : { is: "removed", text: old[--x]! });
  }
  return lines.reverse();
}

/** What is shown of a difference: the changed lines with a few around them, and how many are left out in between. */
export type DiffPart = { left: number } | { lines: readonly DiffLine[]; from: number };

export function partsOf(lines: readonly DiffLine[], around = 3): DiffPart[] {
  const near = new Uint8Array(lines.length);
  lines.forEach(({ is }, at) => {
    if (is !== "same") near.fill(1, Math.max(0, at - around), at + around + 1);
  });
  const parts: DiffPart[] = [];
  for (let at = 0; at < lines.length; ) {
    let end = at;
    while (end < lines.length && near[end] === near[at]) end++;
    parts.push(near[at] ? { lines: lines.slice(at, end), from: at } : { left: end - at });
    at = end;
  }
  return parts;
}
