/**
 * [A11] The usage that Codex reports: for the whole session, at the end of a turn. During a turn it writes the same
 * to its session file, whose newest count is read whenever Codex has done something.
 */
import { join } from "node:path";
import type { UsageReport } from "../../contract/usage.ts";
import { fs } from "../../platform/system.ts";
import { countIn, sinceCounted } from "./reports.ts";

type Fields = Record<string, unknown>;

/** Its input includes tokens from the cache, its output includes reasoning. */
export function codexCount(usage: Fields, turns: number): UsageReport {
  const cached = countIn(usage.cached_input_tokens);
  return {
    inputTokens: Math.max(0, countIn(usage.input_tokens) - cached),
    cachedTokens: cached,
    outputTokens: countIn(usage.output_tokens),
    costUsd: null,
    turns,
  };
}

/** How much of the file's end is read: it contains a count unless a tool has just printed more. */
const endBytes = 256 * 1024;

/** The file may appear a little later than the session; if there is none, it is not searched for again and again. */
const looksAllowed = 5;

export interface CodexSession {
  /** What this run has used so far, if its file says so. */
  used(): UsageReport | undefined;
}

/** `home` is its own folder; `before` what the session had counted when this run began. */
export function codexSession(home: string, thread: string, before: UsageReport | undefined): CodexSession {
  let file: string | undefined;
  let looks = 0;
  return {
    used() {
      try {
        if (!file && ++looks > looksAllowed) return undefined;
        file ??= fileOf(join(home, "sessions"), `-${thread}.jsonl`);
        const count = file && newestCount(endOf(file));
        return count ? sinceCounted(codexCount(count, 1), before) : undefined;
      } catch {
        // It keeps no such file: the end of the turn has the count.
        return undefined;
      }
    },
  };
}

/** Below year, month and day; newest first. */
function fileOf(folder: string, end: string, depth = 3): string | undefined {
  const names = fs().readdirSync(folder).sort().reverse();
  if (depth === 0) {
    const name = names.find((each) => each.endsWith(end));
    return name && join(folder, name);
  }
  for (const name of names.filter((each) => /^\d+$/.test(each))) {
    const found = fileOf(join(folder, name), end, depth - 1);
    if (found) return found;
  }
  return undefined;
}

function endOf(path: string): string {
  const file = fs().openSync(path, "r");
  try {
    const { size } = fs().fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, endBytes));
    const read = fs().readSync(file, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString("utf8", 0, read);
  } finally {
    fs().closeSync(file);
  }
}

function newestCount(text: string): Fields | undefined {
  const lines = text.split("\n");
  for (const line of lines.reverse()) {
    if (!line.includes('"token_count"')) continue;
    try {
      const { payload } = JSON.parse(line) as { payload?: { info?: { total_token_usage?: Fields } } };
      if (payload?.info?.total_token_usage) return payload.info.total_token_usage;
    } catch {
      // The last line is not complete yet.
    }
  }
  return undefined;
}
