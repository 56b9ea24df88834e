/** A patch as rows of one long list: the files, their hunks and lines, and what was written beside them. */
import type { ReviewFinding } from "../../src/contract/review.ts";
import { type Comment, keyOf, type Spot } from "./comments.ts";
import { type FilePatch, type Hunk, type PatchLine, pairsOf } from "./patch.ts";

/** A line where it stands: its hunk has the colours. */
export interface Placed {
  line: PatchLine;
  hunk: Hunk;
  at: number;
}

export type DiffRow = { key: string; file?: FilePatch } & (
  | { is: "top" }
  | { is: "file"; file: FilePatch; folded: boolean; comments: number }
  | { is: "hunk"; file: FilePatch; hunk: Hunk }
  | { is: "line"; file: FilePatch; one: Placed; spot: Spot }
  | { is: "pair"; file: FilePatch; left?: Placed; right?: Placed; spot: Spot }
  | { is: "comment"; file: FilePatch; spot: Spot; comment?: Comment }
  | { is: "finding"; file: FilePatch; finding: ReviewFinding }
  | { is: "note"; text: string }
);

export interface Shown {
  files: readonly FilePatch[];
  folded: ReadonlySet<string>;
  comments: readonly Comment[];
  /** What a reviewer said of single lines. */
  findings: readonly ReviewFinding[];
  /** Where somebody is about to write. */
  writing?: Spot;
  split: boolean;
}

export function rowsOf(shown: Shown): DiffRow[] {
  const { files, folded, comments } = shown;
  const rows: DiffRow[] = [{ is: "top", key: "top" }];
  for (const file of files) {
    const own = comments.filter(({ path }) => path === file.path).length;
    const isFolded = folded.has(file.path);
    rows.push({ is: "file", key: file.path, file, folded: isFolded, comments: own });
    if (!isFolded) rows.push(...insideOf(file, shown));
  }
  return rows;
}

function insideOf(file: FilePatch, { comments, findings, writing, split }: Shown): DiffRow[] {
  if (file.binary) return [note(file, "A binary file.")];
  if (!file.hunks.length)
    return [
      note(
        file,
        file.change === "renamed"
          ? "Renamed, otherwise unchanged."
          : "An empty file, or only its mode has changed.",
      ),
    ];
  const own = new Map(comments.filter(({ path }) => path === file.path).map((one) => [keyOf(one), one]));
  if (writing?.path === file.path && !own.has(keyOf(writing)))
    own.set(keyOf(writing), { ...writing, text: "" });
  const found = Map.groupBy(
    findings.filter((one) => one.file === file.path),
    ({ line }) => line,
  );
  return file.hunks.flatMap((hunk, n): DiffRow[] => [
    // Of a new file it would say nothing.
    ...(hunk.inside || hunk.from > 1 ? [{ is: "hunk" as const, key: `${file.path}@${n}`, file, hunk }] : []),
    ...(split ? splitRows(file, hunk) : inlineRows(file, hunk)).flatMap((row) => [
      ...withComments(row, own, writing),
      ...findingRows(row, found),
    ]),
  ]);
}

const note = (file: FilePatch, text: string): DiffRow => ({
  is: "note",
  key: `${file.path}:note`,
  file,
  text,
});

export function spotOf({ path }: FilePatch, line: PatchLine): Spot {
  return line.kind === "removed"
    ? { path, side: "before", line: line.before! }
    : { path, side: "after", line: line.after! };
}

type LineRow = Extract<DiffRow, { is: "line" | "pair" }>;

function inlineRows(file: FilePatch, hunk: Hunk): LineRow[] {
  return hunk.lines.map((line, at) => {
    const spot = spotOf(file, line);
    return { is: "line", key: keyOf(spot), file, one: { line, hunk, at }, spot };
  });
}

function splitRows(file: FilePatch, hunk: Hunk): LineRow[] {
  const at = new Map(hunk.lines.map((line, i) => [line, i]));
  const placed = (line: PatchLine | undefined) => line && { line, hunk, at: at.get(line)! };
  return pairsOf(hunk.lines).map(({ left, right }) => {
    const spot = spotOf(file, (right ?? left)!);
    return { is: "pair", key: keyOf(spot), file, left: placed(left), right: placed(right), spot };
  });
}

function findingRows(row: LineRow, found: ReadonlyMap<number | null, readonly ReviewFinding[]>): DiffRow[] {
  const line = row.is === "line" ? row.one.line.after : row.right?.line.after;
  return (line === undefined ? [] : (found.get(line) ?? [])).map((finding, n) => ({
    is: "finding",
    key: `finding ${row.key} ${n}`,
    file: row.file,
    finding,
  }));
}

function withComments(row: LineRow, own: ReadonlyMap<string, Comment>, writing: Spot | undefined): DiffRow[] {
  if (!own.size) return [row];
  const lines = row.is === "line" ? [row.one.line] : [row.left?.line, row.right?.line];
  const spots = new Map(
    lines.flatMap((line) => (line ? [spotOf(row.file, line)] : [])).map((one) => [keyOf(one), one]),
  );
  return [
    row,
    ...[...spots].flatMap(([key, spot]): DiffRow[] => {
      const comment = own.get(key);
      if (!comment) return [];
      const isWriting = writing !== undefined && keyOf(writing) === key;
      return [{ is: "comment", key: `comment ${key}`, file: row.file, spot, ...(!isWriting && { comment }) }];
    }),
  ];
}
