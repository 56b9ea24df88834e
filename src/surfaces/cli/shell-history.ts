/** What was typed in the shell before, for the arrow keys. */
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fs } from "../../system.ts";

const kept = 1000;

export function historyFile(): string {
  const state = process.env.XDG_STATE_HOME || join(homedir(), ".local", "state");
  const file = join(state, "restante", "shell-history");
  fs().mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return file;
}

/** The newest first, as the line editor wants it. */
export function readHistory(): string[] {
  try {
    return fs().readFileSync(historyFile(), "utf8").split("\n").filter(Boolean).slice(-kept).reverse();
  } catch {
    return [];
  }
}
