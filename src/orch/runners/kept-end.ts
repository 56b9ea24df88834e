/** The end of a text that may never stop: at most `limit` bytes of it, cut at a character boundary. */

export interface KeptEnd {
  add(text: string): void;
  text(): string;
  /** How many bytes were before that text. */
  cut(): number;
}

export function keptEnd(limit: number): KeptEnd {
  let pieces: string[] = [];
  let bytes = 0;
  let all = 0;
  const text = () => endOf(pieces.join(""), limit);
  return {
    add(piece) {
      const size = Buffer.byteLength(piece);
      pieces.push(piece);
      bytes += size;
      all += size;
      // Cutting at twice the limit means that each byte is copied about once.
      if (bytes < 2 * limit) return;
      const end = text();
      pieces = [end];
      bytes = Buffer.byteLength(end);
    },
    text,
    cut: () => all - Buffer.byteLength(text()),
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
