/** Text files that a user names, line by line. */
import { fs } from "./system.ts";

/** Why a path cannot be read as a file; undefined if it can. Links and pipes can. */
export function whyNoFile(path: string): string | undefined {
  try {
    if (fs().statSync(path).isDirectory()) return `${path} is a folder, not a file`;
    fs().accessSync(path, fs().constants.R_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR"
      ? `there is no file ${path}`
      : `${path} cannot be read (${code})`;
  }
}

/** A file with bytes that no text has, so not the one that was meant. */
export class NotText extends Error {
  constructor(
    /** How the file begins. */
    readonly begin: Uint8Array,
  ) {
    super("it has bytes that are not UTF-8 text");
  }
}

/**
 * The lines of a text file of any size; `-` is standard input. A file that does not begin as text is refused (NotText)
 * before its first line is returned; with `fatal`, every line that is not text is, after the lines before it.
 */
export async function* fileLines(
  path: string,
  { fatal = false }: { fatal?: boolean } = {},
): AsyncGenerator<string> {
  const file = path === "-" ? Bun.stdin : Bun.file(path);
  let begin: Uint8Array | undefined;
  let rest = Buffer.alloc(0);
  for await (const piece of file.stream()) {
    if (!begin) {
      begin = piece.slice(0, beginBytes);
      if (!fatal && !isText(piece)) throw new NotText(begin);
    }
    const bytes = Buffer.concat([rest, piece]);
    const end = bytes.lastIndexOf("\n") + 1;
    yield* linesIn(bytes.subarray(0, end), begin, fatal);
    rest = bytes.subarray(end);
  }
  if (begin) yield* linesIn(rest, begin, fatal);
}

/** What identifies a format, as the header of a tar file. */
const beginBytes = 512;

const isText = (bytes: Uint8Array, stream = true): boolean => {
  if (bytes.includes(0)) return false;
  try {
    // The last character may continue in the next piece.
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream });
    return true;
  } catch {
    return false;
  }
};

const decoder = new TextDecoder();

function* linesIn(bytes: Buffer, begin: Uint8Array, fatal: boolean): Generator<string> {
  const isWhole = !fatal || isText(bytes, false);
  for (let at = 0; at < bytes.length; ) {
    const found = bytes.indexOf("\n", at);
    const end = found < 0 ? bytes.length : found;
    const line = bytes.subarray(at, end);
    if (!isWhole && !isText(line, false)) throw new NotText(begin);
    yield decoder.decode(line);
    at = end + 1;
  }
}
