/** Reads a hub's log: its last lines and new ones, across the change from one file to the next. */
import type { LogLine } from "../contract/hub-state.ts";
import { openOwn, readOwn } from "../platform/own-files.ts";
import { fs, look } from "../platform/system.ts";

export function lastLines(file: string, count: number): LogLine[] {
  const text = [`${file}.1`, file].map((path) => readOwn(path) ?? "").join("");
  return count === 0 ? [] : text.split("\n").filter(Boolean).slice(-count).map(parsed);
}

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

/** Every line written from now on, until the signal. */
export async function* followLines(file: string, signal: AbortSignal): AsyncGenerator<LogLine> {
  let reader = openReader(file, true);
  try {
    while (!signal.aborted) {
      for (const line of reader?.next() ?? []) yield parsed(line);
      // A new file has its name: the rest of the old one was read above.
      if (look(file)?.id !== reader?.id) {
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
  const id = look(file)?.id;
  if (id === undefined) return undefined;
  const descriptor = openOwn(file, fs().constants.O_RDONLY);
  let at = atEnd ? fs().fstatSync(descriptor).size : 0;
  let rest = "";
  const decoder = new TextDecoder();
  return {
    id,
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
