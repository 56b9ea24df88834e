/** Standard output and error. */
import { InboxError } from "../../contract/errors.ts";
import { spelledWhole, type Text } from "../../contract/phrase.ts";
import { hasReader, isInherited } from "../../platform/descriptors.ts";
import { after } from "../../platform/quiet.ts";
import { fs, isTerminal, writeAtOnce } from "../../platform/system.ts";
import { inShell } from "../spelling/shell.ts";
import { type Paint, paintOf } from "../text/paint.ts";
import { setIn } from "../text/safe.ts";

/** The exit code that a shell reports for a program that died of a closed pipe. */
export const exitBrokenPipe = 141;

const gone = new Set(["EPIPE", "ECONNRESET", "EBADF"]);

/** From this size on (between 1,000 and 2,000 bytes) `Bun.write` preallocates the file before it writes. */
const reservedFrom = 1000;

/** True once everything was written; false if the reader has closed the pipe. A full disk throws. */
export async function print(text: string): Promise<boolean> {
  // `Bun.write` of an empty text would truncate a file that others have written to before.
  if (text === "") return true;
  try {
    const bytes = new TextEncoder().encode(text);
    // Mostly that is all of it. For more than a thousand bytes node:fs would be loaded, which takes 0.6 ms.
    const rest = bytes.subarray(writeAtOnce(1, bytes));
    if (!rest.length) return true;
    if (rest.length > reservedFrom && fs().fstatSync(1).isFile()) writeWhole(rest);
    else await Bun.write(Bun.stdout, rest);
    return true;
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    if (gone.has(code)) return false;
    throw new InboxError("storage", `standard output cannot be written (${code})`, {
      hint: "free space where the output goes, or redirect it; mail and claims that could not be shown are released, other writes are done",
      cause: error,
    });
  }
}

/** Preallocated bytes would stay as zeros if the file is appended to (`>>`). */
function writeWhole(bytes: Uint8Array): void {
  let rest = bytes;
  while (rest.length) rest = rest.subarray(fs().writeSync(1, rest));
}

/**
 * Whether there is a standard output. If it was closed (`>&-`), the runtime opens /dev/null in its place, and every
 * write would seem to succeed.
 */
export const hasOutput = (): Promise<boolean> => isInherited(1);

const readerMs = 1000;

/**
 * [C3.2] The exit code, once the reader of standard output has closed its end. For a command that may have nothing to
 * print for a long time, and would not notice.
 */
export const readerGone = (): Promise<number> =>
  new Promise((done) => {
    const look = () => (hasReader(1) ? void after(readerMs, look) : done(exitBrokenPipe));
    look();
  });

/** [X13] A warning may quote what others wrote, or what was typed. */
export const warn = (message: Text) => complain(`warning: ${setIn(spelledWhole(message, inShell()), 9)}\n`);

/** Our own text to standard error, with colours; text of others goes through `warn` or `refusalText`. */
export function complain(text: string): void {
  const bytes = new TextEncoder().encode(text);
  const rest = bytes.subarray(writeAtOnce(2, bytes));
  try {
    if (rest.length) fs().writeSync(2, rest);
  } catch {
    // Standard error is closed as well.
  }
}

/** Prints text, and returns the exit code. */
export async function writeOut(text: string): Promise<number> {
  return (await print(text)) ? 0 : exitBrokenPipe;
}

/** Colour on a terminal, unless it was turned off. */
export const paintFor = (descriptor: 1 | 2): Paint =>
  paintOf(!process.env.NO_COLOR && process.env.TERM !== "dumb" && isTerminal(descriptor));
