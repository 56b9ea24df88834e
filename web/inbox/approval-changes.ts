/** What a tool would change, as far as its arguments or its program say it; and the other arguments, one by one. */
import { type DiffLine, lineDiff, partsOf } from "../../src/contract/line-diff.ts";
import type { Approval } from "../../src/contract/question.ts";

export interface Change {
  path: string;
  lines: readonly DiffLine[];
}

export interface Argument {
  name: string;
  text: string;
  language: string;
}

type Fields = Record<string, unknown>;

export function changesIn({ tool, input, diff }: Approval): { changes: Change[]; rest: Argument[] } {
  const fields = parsed(input);
  if (!fields)
    return { changes: diff ? writtenIn(diff) : [], rest: input ? [argument("Arguments", input)] : [] };
  const edit = editIn(fields);
  const changes = diff ? writtenIn(diff) : edit ? [edit.change] : [];
  const shown = edit && changes.length ? edit.fields : [];
  return {
    changes,
    rest: Object.entries(fields)
      .filter(([name]) => !shown.includes(name))
      .map(([name, value]) => argument(name, value, tool)),
  };
}

function parsed(input: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined;
  } catch {
    return undefined;
  }
}

const shells = /bash|shell|exec|command|terminal/i;

function argument(name: string, value: unknown, tool = ""): Argument {
  if (typeof value !== "string") return { name, text: JSON.stringify(value, null, 2), language: "json" };
  return { name, text: value, language: name === "command" || shells.test(tool) ? "bash" : "plaintext" };
}

const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);

/** The arguments that editing tools of agent programs have: a file with old and new text, or with all of it. */
function editIn(fields: Fields): { change: Change; fields: string[] } | undefined {
  const pathName = ["file_path", "path", "filePath"].find((name) => textOf(fields[name]) !== undefined);
  const newName = ["new_string", "newString", "content", "contents"].find(
    (name) => textOf(fields[name]) !== undefined,
  );
  if (pathName === undefined || newName === undefined) return undefined;
  const oldName = newName === "newString" ? "oldString" : "old_string";
  const change = changeOf(String(fields[pathName]), textOf(fields[oldName]) ?? "", String(fields[newName]));
  return { change, fields: [pathName, oldName, newName] };
}

function changeOf(path: string, before: string, after: string): Change {
  const lines = partsOf(lineDiff(before, after).lines).flatMap((part): readonly DiffLine[] =>
    "left" in part ? [{ is: "same", text: `⋯ ${part.left} unchanged` }] : part.lines,
  );
  return { path, lines };
}

/** As the question has it: the path, then what is removed and what is added, each line with its mark. */
function writtenIn(diff: string): Change[] {
  const files: { path: string; before: string[]; after: string[] }[] = [];
  for (const line of diff.split("\n")) {
    const file = files.at(-1);
    if (file && line.startsWith("- ")) file.before.push(line.slice(2));
    else if (file && line.startsWith("+ ")) file.after.push(line.slice(2));
    else if (line.trim() !== "") files.push({ path: line, before: [], after: [] });
  }
  return files.map(({ path, before, after }) => changeOf(path, before.join("\n"), after.join("\n")));
}
