/** [Q9] The transcript of a task: a file of JSON lines. It may be long; nobody ever holds it whole. */
import { begunToken, withoutTokens } from "../contract/secret.ts";
import type { TranscriptEntry } from "../contract/transcript.ts";
import { openOwn, openOwnToAppend } from "../platform/own-files.ts";
import { fs } from "../platform/system.ts";

type Noted = Omit<TranscriptEntry, "n" | "at">;

export interface Transcript {
  note(entry: Noted): void;
  /** How many bytes it may have. */
  limit(bytes: number): void;
  close(): void;
}

const newline = 10;
/** A word that begins like a token but is longer is not one. */
const longestToken = 1024;
/** Longer text is split into several entries, so that a page of them is never huge. */
const longestText = 64 * 1024;
/** What a program can go on writing for ever; everything else is short, or says how it ended. */
const bulk: readonly Noted["kind"][] = ["tool", "response", "output", "stderr"];

/**
 * What cannot be written, because the disk is full, is left out: the work continues, and once there is space again a
 * notice says that something is missing.
 */
export function openTranscript(path: string): Transcript {
  let file: number | undefined;
  // A keeper that was killed may have left an incomplete line.
  let torn = true;
  let missing: string | undefined;
  let closed = false;
  let size = 0;
  let most = Number.POSITIVE_INFINITY;
  let full = false;
  // [X15] By kind: the end of a piece of text that may be the beginning of a token. What follows is in the next piece.
  const withheld = new Map<Noted["kind"], string>();

  function put(entry: Noted): void {
    const line = `${torn ? "\n" : ""}${JSON.stringify({ at: new Date().toISOString(), ...entry })}\n`;
    torn = true;
    if (file === undefined) {
      file = openOwnToAppend(path);
      // What earlier attempts and turns have left.
      size = fs().fstatSync(file).size;
    }
    size += writeWhole(file, line);
    torn = false;
  }

  /** A sub-agent that prints without end does not fill the disk. */
  function hasNoRoom({ kind }: Pick<Noted, "kind">): boolean {
    if (size < most || !bulk.includes(kind)) return false;
    if (!full)
      put({
        kind: "notice",
        text: `the transcript has reached ${most / 2 ** 20} MiB: further output is not kept`,
      });
    full = true;
    return true;
  }

  /** A whole text, or as much of a piece as cannot be part of a token that is cut in two. */
  function safeToWrite({ kind, text, open }: Noted): string {
    const all = (withheld.get(kind) ?? "") + text;
    const rest = open ? begunToken(all) : "";
    withheld.set(kind, rest.length > longestToken ? "" : rest);
    return withoutTokens(withheld.get(kind) === "" ? all : all.slice(0, -rest.length));
  }

  const transcript: Transcript = {
    note({ text: said, open, ...rest }) {
      if (closed) return;
      const text = safeToWrite({ ...rest, text: said, open });
      if (text === "" && said !== "") return;
      try {
        if (missing !== undefined)
          put({ kind: "notice", text: `part of the transcript is missing: ${missing}` });
        missing = undefined;
        if (hasNoRoom(rest)) return;
        let left = text.length;
        for (const part of parts(text)) {
          left -= part.length;
          put({ ...rest, text: part, ...((left > 0 || open) && { open: true }) });
        }
      } catch (error) {
        missing = (error as Error).message;
      }
    },
    limit: (bytes) => {
      most = bytes;
    },
    close: () => {
      for (const [kind, text] of withheld) if (text !== "") transcript.note({ kind, text: "" });
      // The number of the descriptor may soon belong to another file.
      closed = true;
      if (file !== undefined) fs().closeSync(file);
    },
  };
  return transcript;
}

/** Answers with how many bytes that were. */
function writeWhole(file: number, line: string): number {
  const bytes = Buffer.from(line);
  for (let from = 0; from < bytes.length; ) from += fs().writeSync(file, bytes, from);
  return bytes.length;
}

function* parts(text: string): Generator<string> {
  for (let from = 0; from === 0 || from < text.length; ) {
    let to = Math.min(text.length, from + longestText);
    // Never cuts a character in two.
    if (to < text.length && text.charCodeAt(to - 1) >= 0xd800 && text.charCodeAt(to - 1) < 0xdc00) to--;
    yield text.slice(from, to);
    if (to === text.length) return;
    from = to;
  }
}

export interface Page {
  entries: TranscriptEntry[];
  /** Where the first one begins. */
  from: number;
  /** Where the next page begins. */
  next: number;
  /** Nothing that was complete when it was read comes after it. */
  last: boolean;
}

const pageBytes = 1024 * 1024;

/** The complete entries after a position; a position is a number of bytes. */
export const readTranscript = (path: string, after: number, limit: number): Page =>
  reading(path, nothingAfter(after), (file) => pageOf(file, after, limit));

/** The last entries before a position, or of the file: a long transcript is read from its end. */
export const readTail = (path: string, count: number, before?: number): Page =>
  reading(path, nothingAfter(0), (file) => {
    const size = fs().fstatSync(file).size;
    return { ...tailOf(file, Math.min(before ?? size, size), count), last: (before ?? size) >= size };
  });

export const nothingAfter = (after: number): Page => ({ entries: [], from: after, next: after, last: true });

function reading(path: string, none: Page, read: (file: number) => Page): Page {
  let file: number;
  try {
    file = openOwn(path, fs().constants.O_RDONLY);
  } catch {
    return none;
  }
  try {
    return read(file);
  } finally {
    fs().closeSync(file);
  }
}

function pageOf(file: number, after: number, limit: number): Page {
  const entries: TranscriptEntry[] = [];
  let next = after;
  for (let size = pageBytes; ; size *= 2) {
    const bytes = new Uint8Array(size);
    const read = fs().readSync(file, bytes, 0, size, after);
    let from = 0;
    for (let end = bytes.indexOf(newline); end >= 0 && end < read; end = bytes.indexOf(newline, from)) {
      const line = new TextDecoder().decode(bytes.subarray(from, end));
      from = end + 1;
      next = after + from;
      const entry = parsed(line, next);
      if (entry) entries.push(entry);
      // The rest of the buffer is zeros.
      if (entries.length === limit)
        return { entries, from: after, next, last: read < size && !bytes.includes(newline, from) };
    }
    // A line that is longer than a page: read more.
    if (from > 0 || read < size) return { entries, from: after, next, last: read < size };
  }
}

function tailOf(file: number, end: number, count: number): Omit<Page, "last"> {
  for (let size = tailBytes; ; size *= 2) {
    const start = Math.max(0, end - size);
    const bytes = new Uint8Array(end - start);
    const read = fs().readSync(file, bytes, 0, bytes.length, start);
    const found = wholeLines(bytes.subarray(0, read), start);
    const entries = found.flatMap(({ text, next }) => parsed(text, next) ?? []);
    // An incomplete line at its end is still being written. A line that is longer than this: read more.
    if (start === 0 || entries.length >= count || (entries.length > 0 && size >= pageBytes)) {
      const shown = entries.slice(-count);
      const first = found.find(({ next }) => next === shown[0]?.n);
      const all = start === 0 && shown.length === entries.length;
      return { entries: shown, from: all ? 0 : (first?.from ?? start), next: found.at(-1)?.next ?? start };
    }
  }
}

/** Lines with their position and that of the next line; the first one only if it starts at the beginning of the file. */
function wholeLines(bytes: Uint8Array, start: number): { text: string; from: number; next: number }[] {
  const lines: { text: string; from: number; next: number }[] = [];
  let from = start === 0 ? 0 : bytes.indexOf(newline) + 1;
  if (start > 0 && from === 0) return lines;
  for (let end = bytes.indexOf(newline, from); end >= 0; end = bytes.indexOf(newline, from)) {
    lines.push({
      text: new TextDecoder().decode(bytes.subarray(from, end)),
      from: start + from,
      next: start + end + 1,
    });
    from = end + 1;
  }
  return lines;
}

function parsed(line: string, n: number): TranscriptEntry | undefined {
  if (line === "") return undefined;
  try {
    const { at, kind, text, tool, open } = JSON.parse(line) as TranscriptEntry;
    return { n, at, kind, text, ...(tool !== undefined && { tool }), ...(open && { open }) };
  } catch {
    return undefined; // what a killed keeper left
  }
}

/** How much of its end is read first. */
const tailBytes = 128 * 1024;
/** How many entries, from the end, are searched for a line with text. */
const lastFew = 50;

/** The last line that is not empty, of any kind; null if there is none yet. */
export function lastLineOf(path: string): string | null {
  for (const { text } of readTail(path, lastFew).entries.reverse()) {
    const line = text.trimEnd().split("\n").at(-1)?.trim();
    if (line) return line;
  }
  return null;
}
