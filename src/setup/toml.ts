/** Changes one table of a TOML text, `[mcp_servers.inbox]`, and leaves every other line. */
import { type Entry, isTable } from "./clients.ts";

export const parseToml = (text: string): unknown => Bun.TOML.parse(text);

const bare = /^[A-Za-z0-9_-]+$/;
const keyText = (key: string) => (bare.test(key) ? key : JSON.stringify(key));

function valueText(value: unknown): string {
  // JSON strings are valid TOML, except for one character.
  if (typeof value === "string") return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (!isTable(value)) return String(value);
  const pairs = Object.entries(value).map(([key, inner]) => `${keyText(key)} = ${valueText(inner)}`);
  return pairs.length ? `{ ${pairs.join(", ")} }` : "{}";
}

/** The lines of every table whose name begins with the path, without the comments that lead to the next one. */
function blocks(lines: readonly string[], path: readonly string[]): [from: number, to: number][] {
  const name = path.map((key) => `\\s*(?:${key}|"${key}"|'${key}')\\s*`).join("\\.");
  const ours = new RegExp(`^\\s*\\[${name}(?:\\.[^\\]]+)?\\]`);
  const found: [number, number][] = [];
  for (let from = 0; from < lines.length; from++) {
    if (!ours.test(lines[from]!)) continue;
    let to = from + 1;
    while (to < lines.length && !/^\s*\[/.test(lines[to]!)) to++;
    while (to > from + 1 && /^\s*(#.*)?\s*$/.test(lines[to - 1]!)) to--;
    found.push([from, to]);
  }
  return found;
}

const linesOf = (text: string) => text.split(/(?<=\n)/);

export function putToml(text: string, path: readonly string[], entry: Entry): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const table = [
    `[${path.map(keyText).join(".")}]`,
    ...Object.entries(entry).map(([key, value]) => `${keyText(key)} = ${valueText(value)}`),
  ];
  if (text.trim() === "") return table.join(eol) + eol;
  const lines = linesOf(text);
  const [first, ...rest] = blocks(lines, path);
  if (!first) {
    // A file without a final line break stays without one.
    const ended = text.endsWith("\n");
    return `${text}${ended ? eol : eol + eol}${table.join(eol)}${ended ? eol : ""}`;
  }
  for (const [from, to] of rest.reverse()) remove(lines, from, to);
  const last = lines[first[1] - 1]!.endsWith("\n") ? eol : "";
  lines.splice(first[0], first[1] - first[0], table.join(eol) + last);
  return lines.join("");
}

/** Without the table. Undefined: nothing is left. */
export function dropToml(text: string, path: readonly string[]): string | undefined {
  const lines = linesOf(text);
  for (const [from, to] of blocks(lines, path).reverse()) remove(lines, from, to);
  const left = lines.join("");
  return left.trim() === "" ? undefined : left;
}

/** Removes lines and the empty one before them. */
function remove(lines: string[], from: number, to: number): void {
  const unended = to === lines.length && !lines[to - 1]!.endsWith("\n");
  const start = from > 0 && lines[from - 1]!.trim() === "" ? from - 1 : from;
  lines.splice(start, to - start);
  if (unended && lines.length) lines[lines.length - 1] = lines.at(-1)!.replace(/\r?\n$/, "");
}
