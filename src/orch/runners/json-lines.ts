/**
 * A program's events: one JSON object per line. Other lines and invalid bytes are passed on as text; endless lines
 * are omitted.
 */

/** The maximum length of a line: a tool result with a picture fits. */
const lineLimit = 16 * 1024 * 1024;

export type Line = { event: Record<string, unknown> } | { text: string };

export async function* jsonLines(stdout: AsyncIterable<Uint8Array>, limit = lineLimit): AsyncGenerator<Line> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  const line = (): Line[] => {
    const [text, size] = [Buffer.concat(pieces).toString("utf8"), bytes];
    pieces = [];
    bytes = 0;
    return size > limit ? [{ text: `(a line of ${size} bytes was omitted)` }] : read(text);
  };
  const add = (piece: Uint8Array) => {
    bytes += piece.length;
    if (bytes > limit) pieces = [];
    else if (piece.length) pieces.push(piece);
  };
  for await (const chunk of stdout) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, end));
      from = end + 1;
      yield* line();
    }
    // Copied, so that a small rest does not keep the whole chunk in memory.
    add(chunk.slice(from));
  }
  yield* line();
}

function read(text: string): Line[] {
  if (text.trim() === "") return [];
  try {
    const event: unknown = JSON.parse(text);
    if (typeof event === "object" && event !== null && !Array.isArray(event))
      return [{ event: event as Record<string, unknown> }];
  } catch {
    // Not an event, but for example a warning of the program.
  }
  return [{ text: text.replace(/\r$/, "") }];
}
