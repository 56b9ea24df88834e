/** Which processes have a file open, where the system tells: Linux, by /proc. Elsewhere nobody is found. */
import { basename } from "node:path";
import { fs } from "./system.ts";

export interface Opener {
  pid: number;
  /** The name of its program. */
  name: string;
}

/** Other processes of this user, with one of these files open, also under a name that is gone. */
export function openersOf(paths: readonly string[]): Opener[] {
  const wanted = new Set(paths.flatMap((path) => [path, `${path} (deleted)`]));
  return entriesIn("/proc")
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .filter((pid) =>
      entriesIn(`/proc/${pid}/fd`).some((file) => wanted.has(linkAt(`/proc/${pid}/fd/${file}`))),
    )
    .map((pid) => ({
      pid: Number(pid),
      name: basename(linkAt(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, ""),
    }));
}

/** Another user's process cannot be looked into, and any process may end meanwhile. */
function entriesIn(folder: string): string[] {
  try {
    return fs().readdirSync(folder);
  } catch {
    return [];
  }
}

function linkAt(path: string): string {
  try {
    return fs().readlinkSync(path);
  } catch {
    return "";
  }
}
