/**
 * [O5] What a hub logs: one line per event, as JSON or for people, to standard error or to a file. The size of a file is
 * limited: when it is full, it replaces the file `.1`. Lines are collected for a moment, because a hub may answer
 * thousands of requests per second.
 */
import type { LogLine } from "../contract/hub-state.ts";
import { openOwnToAppend } from "../platform/own-files.ts";
import { fs } from "../platform/system.ts";

export type Log = (level: LogLine["level"], event: string, fields?: Record<string, unknown>) => void;

export const logBytes = 4 * 1024 * 1024;
const gatherMs = 50;

export interface HubLog {
  write: Log;
  /** Writes the collected lines now. */
  flush(): void;
  /** Writes the collected lines, and ends. */
  close(): void;
}

export interface LogOptions {
  format: "json" | "text";
  /** Standard error unless given. */
  file?: string;
  limit?: number;
}

export function openLog({ format, file, limit = logBytes }: LogOptions): HubLog {
  const sink = file === undefined ? undefined : openFile(file, limit);
  let gathered = "";
  let timer: Timer | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = gathered;
    gathered = "";
    if (text === "") return;
    try {
      if (sink) sink.append(text);
      else fs().writeSync(2, text);
    } catch {
      // Nobody reads it, or the disk is full: the hub continues.
    }
  };
  return {
    write(level, event, fields = {}) {
      const line = { time: new Date().toISOString(), level, event, ...fields };
      gathered += format === "json" ? `${JSON.stringify(line)}\n` : `${lineText(line)}\n`;
      timer ??= setTimeout(flush, gatherMs);
      timer.unref();
    },
    flush,
    close() {
      flush();
      sink?.close();
    },
  };
}

function openFile(path: string, limit: number) {
  let descriptor = openOwnToAppend(path);
  let size = fs().fstatSync(descriptor).size;
  return {
    append(text: string) {
      if (size > 0 && size + text.length > limit) {
        fs().closeSync(descriptor);
        fs().renameSync(path, `${path}.1`);
        descriptor = openOwnToAppend(path);
        size = 0;
      }
      fs().writeSync(descriptor, text);
      size += Buffer.byteLength(text);
    },
    close: () => fs().closeSync(descriptor),
  };
}

/** For people: `2026-05-14T10:00:00.000Z warn  request operation=threads.claim status=409 ms=3`. */
export function lineText({ time, level, event, ...fields }: LogLine): string {
  const word = (value: unknown) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
  };
  const rest = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [`${key}=${word(value)}`],
  );
  return [time ?? "-", level.padEnd(5), event, ...rest].join(" ");
}
