/** Standard output. Answers true once everything was taken; false where the reader has gone away. */
import { writeSync } from "node:fs";

export async function print(text: string): Promise<boolean> {
  const bytes = Buffer.from(text);
  let from = 0;
  while (from < bytes.length) {
    try {
      from += writeSync(1, bytes, from);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === "EPIPE" || code === "ECONNRESET" || code === "EBADF") return false;
      if (code !== "EAGAIN") throw error;
      await Bun.sleep(1); // a pipe that does not block, and is full
    }
  }
  return true;
}

export function complain(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // Nobody listens there either.
  }
}
