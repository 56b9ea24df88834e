/** A patch as git writes it, as files, hunks and lines. */

export interface PatchLine {
  kind: "same" | "added" | "removed";
  /** Its number before and after, where it is there. */
  before?: number;
  after?: number;
  text: string;
  /** The file ends without a line break here. */
  unended?: boolean;
}

export interface Hunk {
  /** What git found above it: the function it is in, often. */
  inside: string;
  from: number;
  lines: PatchLine[];
}

export interface FilePatch {
  path: string;
  /** What it was called before. */
  oldPath?: string;
  change: "added" | "deleted" | "renamed" | "changed";
  binary: boolean;
  added: number;
  removed: number;
  hunks: Hunk[];
}

const hunkHead = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/;

export function parsePatch(patch: string): FilePatch[] {
  // A line of content begins with a blank, a plus, a minus or a backslash: this is a head and nothing else.
  return patch
    .split(/^(?=diff --git )/m)
    .flatMap((part) => (part.startsWith("diff --git ") ? [fileOf(part)] : []));
}

function fileOf(part: string): FilePatch {
  const lines = part.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const begin = lines.findIndex((line) => line.startsWith("@@ "));
  const head = begin < 0 ? lines : lines.slice(0, begin);
  const said = (start: string) => head.find((line) => line.startsWith(start))?.slice(start.length);
  const hunks = begin < 0 ? [] : hunksOf(lines.slice(begin));
  const all = hunks.flatMap((hunk) => hunk.lines);
  const path =
    unquoted(said("rename to ")) ?? namedIn(said("+++ ")) ?? namedIn(said("--- ")) ?? pathInHead(head[0]!);
  const oldPath = unquoted(said("rename from "));
  return {
    path,
    ...(oldPath !== undefined && { oldPath }),
    change:
      said("new file mode ") !== undefined
        ? "added"
        : said("deleted file mode ") !== undefined
          ? "deleted"
          : oldPath === undefined
            ? "changed"
            : "renamed",
    binary: head.some((line) => line.startsWith("Binary files ") || line === "GIT binary patch"),
    added: all.filter(({ kind }) => kind === "added").length,
    removed: all.filter(({ kind }) => kind === "removed").length,
    hunks,
  };
}

function hunksOf(lines: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let before = 0;
  let after = 0;
  for (const line of lines) {
    const head = hunkHead.exec(line);
    const hunk = hunks.at(-1);
    if (head) {
      before = Number(head[1]);
      after = Number(head[2]);
      hunks.push({ inside: head[3]!, from: after, lines: [] });
    } else if (!hunk) continue;
    else if (line.startsWith("+")) hunk.lines.push({ kind: "added", after: after++, text: line.slice(1) });
    else if (line.startsWith("-"))
      hunk.lines.push({ kind: "removed", before: before++, text: line.slice(1) });
    else if (line.startsWith("\\")) {
      const last = hunk.lines.at(-1);
      if (last) last.unended = true;
    } else hunk.lines.push({ kind: "same", before: before++, after: after++, text: line.slice(1) });
  }
  return hunks;
}

/** `a/path`, `b/path`; undefined for a file that is not there. */
function namedIn(name: string | undefined): string | undefined {
  const plain = unquoted(name?.replace(/\t$/, ""));
  return plain === undefined || plain === "/dev/null" ? undefined : plain.replace(/^[ab]\//, "");
}

/** Of a binary or an empty file there is nothing but the head: twice the same name. */
function pathInHead(head: string): string {
  const names = head.slice("diff --git ".length);
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(names);
  const first = quoted ? quoted[0] : names.slice(0, (names.length - 1) / 2);
  return namedIn(first) ?? names;
}

const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r", '"': '"', "\\": "\\" };

/** Names with quotes, backslashes or control characters are written as in C. */
function unquoted(name: string | undefined): string | undefined {
  if (!name?.startsWith('"')) return name;
  return name
    .slice(1, -1)
    .replace(/\\([0-7]{3}|.)/g, (_, what: string) =>
      what.length === 3 ? String.fromCharCode(Number.parseInt(what, 8)) : (escapes[what] ?? what),
    );
}

/** One line on each side: what was removed beside what took its place. */
export interface Pair {
  left?: PatchLine;
  right?: PatchLine;
}

export function pairsOf(lines: readonly PatchLine[]): Pair[] {
  const pairs: Pair[] = [];
  let removed: PatchLine[] = [];
  let added: PatchLine[] = [];
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++)
      pairs.push({ left: removed[i], right: added[i] });
    removed = [];
    added = [];
  };
  for (const line of lines)
    if (line.kind === "removed") {
      if (added.length) flush();
      removed.push(line);
    } else if (line.kind === "added") added.push(line);
    else {
      flush();
      pairs.push({ left: line, right: line });
    }
  flush();
  return pairs;
}
