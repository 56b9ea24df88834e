/** [Q9] The transcript of a task: a file of JSON lines. It may grow without end; nobody ever holds it whole. */
import { begunToken, withoutTokens } from "../contract/secret.ts";
import type { TranscriptEntry } from "../contract/transcript.ts";
import { openOwn, openOwnToAppend } from "../platform/own-files.ts";
import { fs } from "../platform/system.ts";

type Noted = Omit<TranscriptEntry, "n" | "at">;

export interface Transcript {
  note(entry: Noted): void;
  close(): void;
}

const newline = 10;
/** A word that begins like a token and is longer is none. */
const longestToken = 1024;
/** Longer text is cut into several entries, so that a page of them is never huge. */
const longestText = 64 * 1024;

/**
 * What cannot be written, because the disk is full, is left out: the work goes on without it, and once there is room
 * again a notice says that something is missing.
 */
export function openTranscript(path: string): Transcript {
  let file: number | undefined;
  // A keeper that was killed may have left half a line.
  let torn = true;
  let missing: string | undefined;
  // [X15] By kind: the end of a piece of text that may be the beginning of a token. What follows is in the next piece.
  const withheld = new Map<Noted["kind"], string>();

  function put(entry: Noted): void {
    const line = `${torn ? "\n" : ""}${JSON.stringify({ at: new Date().toISOString(), ...entry })}\n`;
    torn = true;
    file ??= openOwnToAppend(path);
    writeWhole(file, line);
    torn = false;
  }

  /** A whole text, or as much of a piece as cannot be part of a token that is cut in two. */
  function shown({ kind, text, open }: Noted): string {
    const all = (withheld.get(kind) ?? "") + text;
    const rest = open ? begunToken(all) : "";
    withheld.set(kind, rest.length > longestToken ? "" : rest);
    return withoutTokens(withheld.get(kind) === "" ? all : all.slice(0, -rest.length));
  }

  const transcript: Transcript = {
    note({ text: said, open, ...rest }) {
      const text = shown({ ...rest, text: said, open });
      if (text === "" && said !== "") return;
      try {
        if (missing !== undefined)
          put({ kind: "notice", text: `part of the transcript is missing: ${missing}` });
        missing = undefined;
        let left = text.length;
        for (const part of parts(text)) {
          left -= part.length;
          put({ ...rest, text: part, ...((left > 0 || open) && { open: true }) });
        }
      } catch (error) {
        missing = (error as Error).message;
      }
    },
    close: () => {
      for (const [kind, text] of withheld) if (text !== "") transcript.note({ kind, text: "" });
      if (file !== undefined) fs().closeSync(file);
    },
  };
  return transcript;
}

function writeWhole(file: number, line: string): void {
  const bytes = Buffer.from(line);
  for (let from = 0; from < bytes.length; ) from += fs().writeSync(file, bytes, from);
}

function* parts(text: string): Generator<string> {
  for (let from = 0; from === 0 || from < text.length; ) {
    let to = Math.min(text.length, from + longestText);
    // Half of a character would be no text.
    if (to < text.length && text.charCodeAt(to - 1) >= 0xd800 && text.charCodeAt(to - 1) < 0xdc00) to--;
    yield text.slice(from, to);
    if (to === text.length) return;
    from = to;
  }
}

export interface Page {
  entries: TranscriptEntry[];
  /** Where the next page begins. */
  next: number;
}

const pageBytes = 1024 * 1024;

/** The entries after a place, as many as are whole; a place is a number of bytes. */
export function readTranscript(path: string, after: number, limit: number): Page {
  let file: number;
  try {
    file = openOwn(path, fs().constants.O_RDONLY);
  } catch {
    return { entries: [], next: after };
  }
  try {
    return pageOf(file, after, limit);
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
      if (entries.length === limit) return { entries, next };
    }
    // A line longer than a page: look at more.
    if (from > 0 || read < size) return { entries, next };
  }
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

/** As much of its end is looked at for the last line. */
const tailBytes = 128 * 1024;

/** The last line that is not empty, whatever it is; null where there is none yet. */
export function lastLineOf(path: string): string | null {
  let file: number;
  try {
    file = openOwn(path, fs().constants.O_RDONLY);
  } catch {
    return null;
  }
  try {
    const { size } = fs().fstatSync(file);
    const from = Math.max(0, size - tailBytes);
    const bytes = new Uint8Array(size - from);
    const read = fs().readSync(file, bytes, 0, bytes.length, from);
    const lines = new TextDecoder().decode(bytes.subarray(0, read)).split("\n");
    for (const line of lines.reverse()) {
      const text = parsed(line, 0)?.text.trimEnd().split("\n").at(-1)?.trim();
      if (text) return text;
    }
    return null;
  } finally {
    fs().closeSync(file);
  }
}
