/** Aligned columns. Cells may contain colour codes: only visible characters count. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colour is made of control characters
const colour = /\u001b\[[0-9;]*m/g;
const width = (cell: string) => Bun.stringWidth(cell.replace(colour, ""));

export function textTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  dim: (text: string) => string,
): string {
  const all = [head.map((cell) => dim(cell)), ...rows];
  const widths = head.map((_, i) => Math.max(...all.map((row) => width(row[i] ?? ""))));
  return all
    .map((row) =>
      row
        .map((cell, i) => cell + " ".repeat(Math.max(0, widths[i]! - width(cell))))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
