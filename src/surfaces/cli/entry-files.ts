/** `entries export` and `entries import`: files of any size, in pages that every surface can carry. */
import * as v from "valibot";
import { InboxError } from "../../contract/errors.ts";
import { exportedEntry, importLimit } from "../../contract/exported-entry.ts";
import type { InputOf } from "../../contract/operations/index.ts";
import { call, phrase } from "../../contract/phrase.ts";
import { exportFormatName } from "../../contract/written-file.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { fileLines, NotText, whyNoFile } from "../../platform/file-lines.ts";
import { safeJson } from "../text/safe.ts";
import { print } from "./output.ts";

/** False if the reader has closed the pipe. */
export async function exportEntries(inbox: Inbox, input: InputOf<"entries.export">): Promise<boolean> {
  for (let after = input.after; ; ) {
    const { entries, hasMore } = await inbox.call("entries.export", { ...input, after });
    if (entries.length && !(await print(`${entries.map((each) => safeJson(each)).join("\n")}\n`)))
      return false;
    if (!hasMore) return true;
    after = entries.at(-1)!.id;
  }
}

/** The maximum size of one request, with room for what JSON adds. */
const batchBytes = 2 * 1024 * 1024;

type Line = InputOf<"entries.import">["entries"][number];

/** Lines that are not entries are skipped, with a warning each. A file that does not begin as JSON lines is refused. */
export async function importEntries(inbox: Inbox, path: string, warnings: string[]) {
  const total = { imported: 0, known: 0 };
  const trouble = path === "-" ? undefined : whyNoFile(path);
  if (trouble)
    throw new InboxError("invalid_input", trouble, {
      hint: "give an existing file, or - for standard input",
    });
  let batch: Line[] = [];
  let bytes = 0;
  const send = async () => {
    if (!batch.length) return;
    const { imported, known } = await inbox.call("entries.import", { entries: batch });
    total.imported += imported;
    total.known += known;
    batch = [];
    bytes = 0;
  };
  let number = 0;
  let begun = false;
  for await (const line of textLines(path)) {
    number++;
    if (!line.trim()) continue;
    if (!begun && !isObject(line)) throw notEntries(path, `line ${number} is not a JSON object`);
    if (!begun && JSON.parse(line).format === exportFormatName)
      throw notEntries(path, "it is an export of a bus");
    begun = true;
    const problem = parse(line, batch);
    if (problem) warnings.push(`line ${number} skipped: ${problem}`);
    bytes += line.length;
    if (batch.length >= importLimit || bytes > batchBytes) await send();
  }
  await send();
  return total;
}

async function* textLines(path: string): AsyncGenerator<string> {
  try {
    yield* fileLines(path);
  } catch (error) {
    throw error instanceof NotText ? notEntries(path, error.message) : error;
  }
}

const notEntries = (path: string, why: string) =>
  new InboxError(
    "invalid_input",
    `${path === "-" ? "standard input" : path} is not a file of entries: ${why}; nothing was imported`,
    { hint: phrase`give JSON lines, as ${call("entries.export")} writes them` },
  );

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function parse(line: string, into: Line[]): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return (error as Error).message;
  }
  const checked = v.safeParse(exportedEntry(), value, { abortEarly: true });
  if (!checked.success) {
    const [issue] = checked.issues;
    const where = issue.path?.map(({ key }) => String(key)).join(".");
    if (!where) return "it is not an entry";
    return `${where} ${issue.received === "undefined" ? "is required" : issue.message}`;
  }
  into.push(checked.output);
  return undefined;
}
