/** Standard output and error. */
import { fs } from "../../system.ts";

const gone = new Set(["EPIPE", "ECONNRESET", "EBADF"]);

/** True once everything was taken; false where the reader has gone away. */
export async function print(text: string): Promise<boolean> {
  try {
    await Bun.write(Bun.stdout, text);
    return true;
  } catch (error) {
    if (gone.has(String((error as { code?: unknown }).code))) return false;
    throw error;
  }
}

export function complain(text: string): void {
  try {
    fs().writeSync(2, text);
  } catch {
    // Nobody listens there either.
  }
}
