/**
 * `inbox top`: the output of `stats`, refreshed. It uses the terminal's alternate screen, so the previous content is
 * back afterwards, however it ends. Each frame is written over the one before in one write, so nothing flickers.
 */

import { asInboxError } from "../../contract/errors.ts";
import { parseInput } from "../../contract/operation.ts";
import { busTop } from "../../contract/operations/bus-top.ts";
import type { Stats } from "../../contract/stats.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { fs } from "../../platform/system.ts";
import { safe } from "../text/safe.ts";
import { statsText } from "../text/stats.ts";
import type { CommandInput } from "./input.ts";
import { paintFor } from "./output.ts";
import { isAtTerminal } from "./question.ts";

const enter = "\u001b[?1049h\u001b[?25l";
const leave = "\u001b[?25h\u001b[?1049l";
const home = "\u001b[H";
/** q, Q, Ctrl-C, Ctrl-D: in raw mode the terminal sends no signals for them. */
const ends = new Set([0x71, 0x51, 3, 4]);
const restOfLine = "\u001b[K";
const restOfScreen = "\u001b[J";

export async function runTop(
  inbox: Inbox,
  { input }: CommandInput,
  json: boolean,
  respond: (stats: Stats) => Promise<number>,
): Promise<number> {
  const { once, interval } = parseInput(busTop, input);
  if (once || json || !isAtTerminal()) return respond(await inbox.call("stats.show", {}));
  await inbox.call("stats.show", {}); // errors come before the screen changes
  await draw(inbox, interval * 1000);
  return 0;
}

async function draw(inbox: Inbox, everyMs: number): Promise<void> {
  const over = new AbortController();
  const stop = () => over.abort();
  const { stdin, stdout } = process;
  const write = (text: string) => {
    try {
      fs().writeSync(1, text);
    } catch {
      stop(); // The terminal is gone.
    }
  };
  let wake = () => {};
  const onKey = (keys: Buffer) => {
    if ([...keys].some((key) => ends.has(key))) stop();
    wake();
  };
  const redraw = () => wake();
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, stop);
  stdout.on("resize", redraw);
  over.signal.addEventListener("abort", redraw);
  write(enter);
  stdin.setRawMode(true);
  stdin.on("data", onKey);
  try {
    while (!over.signal.aborted) {
      write(await frame(inbox, over.signal));
      await new Promise<void>((done) => {
        const timer = setTimeout(done, everyMs);
        wake = () => {
          clearTimeout(timer);
          done();
        };
        if (over.signal.aborted) wake();
      });
    }
  } finally {
    stdin.off("data", onKey);
    stdin.setRawMode(false);
    stdin.pause();
    stdout.off("resize", redraw);
    for (const signal of signals) process.off(signal, stop);
    write(leave);
  }
}

/** One screen. If a hub or a database is unavailable, the screen says so, and it is tried again. */
async function frame(inbox: Inbox, signal: AbortSignal): Promise<string> {
  const { columns: width = 80, rows = 24 } = process.stdout;
  const paint = paintFor(1);
  const title = `${paint.bold("inbox top")}  ${new Date().toTimeString().slice(0, 8)}  ${paint.dim("q quits")}`;
  let body: string;
  try {
    const stats = await inbox.call("stats.show", {}, { signal });
    body = statsText(stats, paint, { width, rows: rows - 2 });
  } catch (error) {
    body = paint.red(safe(asInboxError(error).message));
  }
  const lines = [title, "", ...body.split("\n")].slice(0, rows);
  return `${home}${lines.map((line) => fitted(line, width) + restOfLine).join("\r\n")}${restOfScreen}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour is made of control characters
const pieces = /\u001b\[[0-9;]*m|./gu;

/** A line longer than the screen would push all others down. */
function fitted(line: string, width: number): string {
  let used = 0;
  let text = "";
  for (const [piece] of line.matchAll(pieces)) {
    if (!piece.startsWith("\u001b")) {
      used += Bun.stringWidth(piece);
      if (used > width) return `${text}\u001b[0m`;
    }
    text += piece;
  }
  return text;
}
