/** Reads a hub's log: its last lines and new ones, across the change from one file to the next. */
import type { LogLine } from "../contract/hub-state.ts";
import { openOwn, readOwn } from "../platform/own-files.ts";
import { fileId, fs } from "../platform/system.ts";

export const lastLines = (file: string, count: number): LogLine[] =>
  lastOf(count, [readOwn(`${file}.1`), readOwn(file)]);

const lastOf = (count: number, texts: readonly (string | undefined)[]): LogLine[] =>
  count === 0 ? [] : texts.join("").split("\n").filter(Boolean).slice(-count).map(parsed);

/** What a crash leaves there is not a line of ours, and is shown as it is. */
function parsed(line: string): LogLine {
  try {
    const value = JSON.parse(line);
    if (typeof value?.event === "string" && typeof value.level === "string") return value;
  } catch {
    // As it stands, below.
  }
  return { time: null, level: "error", event: "output", text: line };
}

const lookMs = 200;

export interface Followed {
  /** The lines that were there. */
  last: LogLine[];
  /** Every line that was written after them, until the signal. */
  coming: AsyncGenerator<LogLine>;
}

/** No line is in both, and none in neither: the place where one ends and the other begins is chosen before anything is read. */
export function followLines(file: string, count: number, signal: AbortSignal): Followed {
  const reader = openReader(file, true);
  return {
    last: lastOf(count, [readOwn(`${file}.1`), reader?.before()]),
    coming: read(file, reader, signal),
  };
}

async function* read(
  file: string,
  first: ReturnType<typeof openReader>,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  let reader = first;
  try {
    while (!signal.aborted) {
      for (const line of reader?.next() ?? []) yield parsed(line);
      // A new file has its name: the rest of the old one was read above.
      if (fileId(file) !== reader?.id) {
        for (const line of reader?.next() ?? []) yield parsed(line);
        reader?.close();
        reader = openReader(file, false);
        continue;
      }
      await Bun.sleep(lookMs);
    }
  } finally {
    reader?.close();
  }
}

function openReader(file: string, atEnd: boolean) {
  const id = fileId(file);
  if (id === undefined) return undefined;
  const descriptor = openOwn(file, fs().constants.O_RDONLY);
  let at = atEnd ? fs().fstatSync(descriptor).size : 0;
  let rest = "";
  const decoder = new TextDecoder();
  return {
    id,
    /** What was in the file when it was opened. */
    before(): string {
      const bytes = new Uint8Array(at);
      fs().readSync(descriptor, bytes, 0, at, 0);
      return decoder.decode(bytes);
    },
    next(): string[] {
      const { size } = fs().fstatSync(descriptor);
      if (size <= at) return [];
      const bytes = new Uint8Array(size - at);
      at += fs().readSync(descriptor, bytes, 0, bytes.length, at);
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = lines.pop()!;
      return lines.filter(Boolean);
    },
    close: () => fs().closeSync(descriptor),
  };
}
