/** Text files that a user names, line by line. */
import { fs } from "./system.ts";

/** Why a path cannot be read as a file; undefined if it can. Links and pipes can. */
export function whyNoFile(path: string): string | undefined {
  try {
    return fs().statSync(path).isDirectory() ? `${path} is a folder, not a file` : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR"
      ? `there is no file ${path}`
      : `${path} cannot be read (${code})`;
  }
}

/** The lines of a text file of any size; `-` is standard input. */
export async function* fileLines(
  path: string,
  { fatal = false }: { /** Bytes that are not UTF-8 are an error. */ fatal?: boolean } = {},
): AsyncGenerator<string> {
  const file = path === "-" ? Bun.stdin : Bun.file(path);
  let rest = "";
  for await (const piece of file.stream().pipeThrough(new TextDecoderStream("utf-8", { fatal }))) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest) yield rest;
}
