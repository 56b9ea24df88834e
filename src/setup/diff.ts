/** A unified diff of one change: what is the same at both ends is left out, except for three lines. */
const context = 3;

const linesOf = (text: string) => (text === "" ? [] : text.split(/(?<=\n)/));

export function unifiedDiff(file: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return "";
  const old = linesOf(before ?? "");
  const next = linesOf(after ?? "");
  let head = 0;
  while (head < old.length && head < next.length && old[head] === next[head]) head++;
  let tail = 0;
  const most = Math.min(old.length, next.length) - head;
  while (tail < most && old[old.length - 1 - tail] === next[next.length - 1 - tail]) tail++;
  const from = Math.max(0, head - context);
  const oldTo = Math.min(old.length, old.length - tail + context);
  const nextTo = Math.min(next.length, next.length - tail + context);
  const marked = (mark: string, lines: readonly string[]) =>
    lines.map((line) =>
      line.endsWith("\n") ? `${mark}${line}` : `${mark}${line}\n\\ No newline at end of file\n`,
    );
  const range = (to: number) => `${to > from ? from + 1 : from},${to - from}`;
  return [
    `--- ${before === undefined ? "/dev/null" : file}\n`,
    `+++ ${after === undefined ? "/dev/null" : file}\n`,
    `@@ -${range(oldTo)} +${range(nextTo)} @@\n`,
    ...marked(" ", old.slice(from, head)),
    ...marked("-", old.slice(head, old.length - tail)),
    ...marked("+", next.slice(head, next.length - tail)),
    ...marked(" ", old.slice(old.length - tail, oldTo)),
  ].join("");
}
