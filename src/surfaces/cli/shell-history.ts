/** The history of the shell, for the arrow keys. */
import { dirname, join } from "node:path";
import { fs } from "../../platform/system.ts";
import { stateFolder } from "../../platform/user-folders.ts";

const kept = 1000;

export function historyFile(): string {
  const file = join(stateFolder(process.env), "shell-history");
  fs().mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return file;
}

/** Newest first, as the line editor needs it. */
export function readHistory(): string[] {
  try {
    return fs().readFileSync(historyFile(), "utf8").split("\n").filter(Boolean).slice(-kept).reverse();
  } catch {
    return [];
  }
}
