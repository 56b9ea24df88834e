/**
 * Changes one member of a JSON text and leaves every other character: order, comments, spaces, commas. The package
 * jsonc-parser (3.3.1) was tried in its place and does not: it formats the members around the one it inserts, moves the
 * comment behind the last member to the new one, and leaves empty tables behind when the member is taken out again.
 */
import { type Entry, isTable } from "./clients.ts";

interface Member {
  key: string;
  start: number;
  value: Node;
  /** The position of the comma after it. */
  comma?: number;
}

interface Node {
  start: number;
  end: number;
  value: unknown;
  members?: Member[];
}

const spaces = /(?:[ \t\r\n]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const string = /"(?:[^"\\\n\r]|\\.)*"/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** JSON, with comments and commas at the end if a client allows them. Throws a SyntaxError that names the line. */
export function parseJson(text: string, comments: boolean): unknown {
  if (!comments) JSON.parse(text);
  return parse(text).value;
}

function parse(text: string): Node {
  let at = 0;
  const fail = (wanted: string) => {
    const line = text.slice(0, at).split("\n").length;
    const found = at < text.length ? JSON.stringify(text[at]) : "the end";
    return new SyntaxError(`line ${line}: ${wanted} expected, found ${found}`);
  };
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const takes = (character: string): boolean => {
    match(spaces);
    if (text[at] !== character) return false;
    at++;
    return true;
  };
  const readString = (): string => {
    const found = match(string);
    if (found === undefined) throw fail("a string");
    return JSON.parse(found);
  };
  const readValue = (): Node => {
    match(spaces);
    const start = at;
    if (takes("{")) return readObject(start);
    if (takes("[")) return readArray(start);
    const value = text[at] === '"' ? readString() : JSON.parse(match(scalar) ?? raise(fail("a value")));
    return { start, end: at, value };
  };
  const readObject = (start: number): Node => {
    const members: Member[] = [];
    while (!takes("}")) {
      if (members.length && members.at(-1)!.comma === undefined) throw fail('"," or "}"');
      const from = at;
      const key = readString();
      if (members.some((member) => member.key === key)) {
        at = from;
        throw fail(`${JSON.stringify(key)} only once: another key`);
      }
      if (!takes(":")) throw fail('":"');
      const member: Member = { key, start: from, value: readValue() };
      if (takes(",")) member.comma = at - 1;
      members.push(member);
    }
    const value = Object.fromEntries(members.map((member) => [member.key, member.value.value]));
    return { start, end: at, value, members };
  };
  const readArray = (start: number): Node => {
    const items: unknown[] = [];
    let open = true;
    while (!takes("]")) {
      if (!open) throw fail('"," or "]"');
      items.push(readValue().value);
      open = takes(",");
    }
    return { start, end: at, value: items };
  };
  const root = readValue();
  match(spaces);
  if (at < text.length) throw fail("the end");
  return root;
}

function raise(error: Error): never {
  throw error;
}

export function putJson(text: string, path: readonly string[], value: unknown): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  if (text.trim() === "") return `${jsonText(nested(path, value), "", "  ", eol)}${eol}`;
  const root = parse(text);
  const unit = unitOf(text, root);
  const source = { text, unit, eol };
  let node = root;
  for (const [depth, key] of path.entries()) {
    const member = node.members?.find((other) => other.key === key);
    if (!member) return insert(node, key, nested(path.slice(depth + 1), value), source);
    node = member.value;
  }
  return (
    text.slice(0, node.start) + jsonText(value, indentAt(text, node.start), unit, eol) + text.slice(node.end)
  );
}

/** Without the member, and without tables that contained only it. Undefined: nothing is left. */
export function dropJson(text: string, path: readonly string[]): string | undefined {
  const nodes = [parse(text)];
  for (const key of path) {
    const member = nodes.at(-1)!.members?.find((other) => other.key === key);
    if (!member) return text;
    nodes.push(member.value);
  }
  let depth = path.length - 1;
  while (depth >= 0 && isBare(text, nodes[depth]!, path[depth]!)) depth--;
  return depth < 0 ? undefined : cut(text, nodes[depth]!, path[depth]!);
}

/** Whether a table holds this member and nothing else, not even a comment. */
function isBare(text: string, { start, end, members }: Node, key: string): boolean {
  const [only, ...more] = members!;
  if (only?.key !== key || more.length) return false;
  const around = text.slice(start + 1, only.start) + text.slice(only.value.end, end - 1);
  return /^[\s,]*$/.test(around);
}

function cut(text: string, { members }: Node, key: string): string {
  const index = members!.findIndex((member) => member.key === key);
  const member = members![index]!;
  const before = members![index - 1]?.comma;
  const lead = /(?:\r?\n)?[ \t]*$/.exec(text.slice(0, member.start))![0].length;
  const end = member.comma === undefined ? member.value.end : member.comma + 1;
  const head = text.slice(0, member.start - lead);
  // With the last one the comma before it is removed, unless the file ends its lists with one.
  const kept =
    member.comma === undefined && before !== undefined
      ? head.slice(0, before) + head.slice(before + 1)
      : head;
  return kept + text.slice(end);
}

interface Source {
  text: string;
  /** What one level is indented by. */
  unit: string;
  eol: string;
}

function insert(node: Node, key: string, value: unknown, { text, unit, eol }: Source): string {
  const last = node.members!.at(-1);
  const name = `${JSON.stringify(key)}: `;
  if (!last) {
    const indent = indentAt(text, node.start);
    const inside = text.slice(node.start + 1, node.end - 1).trimEnd();
    const member = `${indent}${unit}${name}${jsonText(value, indent + unit, unit, eol)}`;
    return `${text.slice(0, node.start + 1)}${inside}${eol}${member}${eol}${indent}${text.slice(node.end - 1)}`;
  }
  const from = last.comma === undefined ? last.value.end : last.comma + 1;
  // A comment on the line of the last member stays with it.
  const said = /^(?:[ \t]|\/\*[^\n]*?\*\/)*(?:\/\/[^\r\n]*)?(?=\r?\n)/.exec(text.slice(from))?.[0];
  if (said === undefined)
    return `${text.slice(0, last.value.end)}, ${name}${JSON.stringify(value)}${text.slice(last.value.end)}`;
  const indent = indentAt(text, last.start);
  const comma = last.comma === undefined ? [",", ""] : ["", ","];
  const line = from + said.length;
  const member = `${indent}${name}${jsonText(value, indent, unit, eol)}${comma[1]}`;
  return `${text.slice(0, last.value.end)}${comma[0]}${text.slice(last.value.end, line)}${eol}${member}${text.slice(line)}`;
}

const nested = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);

const jsonText = (value: unknown, indent: string, unit: string, eol: string) =>
  JSON.stringify(value, null, unit).replaceAll("\n", eol + indent);

const indentAt = (text: string, position: number) =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", position - 1) + 1))![0];

function unitOf(text: string, root: Node): string {
  const first = root.members?.[0];
  return (first && indentAt(text, first.start)) || "  ";
}

/** A config without an entry, and without the tables that only it was in. */
export function withoutEntry(config: Entry, path: readonly string[]): Entry {
  const [key, ...rest] = path as [string, ...string[]];
  const { [key]: inner, ...others } = config;
  if (rest.length === 0 || inner === undefined) return others;
  if (!isTable(inner)) return config;
  const left = withoutEntry(inner, rest);
  return Object.keys(left).length ? { ...config, [key]: left } : others;
}
