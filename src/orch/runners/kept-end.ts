/** The end of a text that may never stop: at most `limit` bytes of it, cut at a character boundary. */

export interface KeptEnd {
  add(text: string): void;
  text(): string;
}

export function keptEnd(limit: number): KeptEnd {
  let pieces: string[] = [];
  let bytes = 0;
  return {
    add(text) {
      pieces.push(text);
      bytes += Buffer.byteLength(text);
      // Cutting at twice the limit means that each byte is copied about once.
      if (bytes < 2 * limit) return;
      const end = endOf(pieces.join(""), limit);
      pieces = [end];
      bytes = Buffer.byteLength(end);
    },
    text: () => endOf(pieces.join(""), limit),
  };
}

export function endOf(text: string, limit: number): string {
  // A UTF-16 code unit takes at most three bytes: for most texts the length is enough to decide.
  if (text.length * 3 <= limit) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let from = bytes.length - limit;
  while (from < bytes.length && (bytes[from]! & 0xc0) === 0x80) from++;
  return bytes.toString("utf8", from);
}
