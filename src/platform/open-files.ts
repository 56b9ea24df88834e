/** Which processes have a file open: from /proc on Linux, from `lsof` elsewhere. Without both, none is found. */
import { basename } from "node:path";
import { isPortable } from "./portable.ts";
import { spawnSync } from "./runtime.ts";
import { fs } from "./system.ts";

export interface Opener {
  pid: number;
  /** The name of its program. */
  name: string;
}

/** Other processes of this user that have one of these files open, even under a deleted name. */
export const openersOf = (paths: readonly string[]): Opener[] =>
  isPortable() ? openersByLsof(paths) : openersByProc(paths);

const lsofPlaces = ["/usr/sbin/lsof", "/usr/bin/lsof"];

function openersByLsof(paths: readonly string[]): Opener[] {
  const lsof = lsofPlaces.find((path) => fs().existsSync(path));
  const there = paths.filter((path) => fs().existsSync(path));
  return lsof && there.length ? openersIn(spawnSync([lsof, "-w", "-F", "pc", "--", ...there], {}).text) : [];
}

/** One line each: `p` with the pid, `c` with the program's name, `f` with each open file. */
export const openersIn = (text: string): Opener[] =>
  [...text.matchAll(/^p(\d+)\n(?:c(.*)\n)?/gm)]
    .map(([, pid, name = ""]) => ({ pid: Number(pid), name }))
    .filter(({ pid }) => pid !== process.pid);

function openersByProc(paths: readonly string[]): Opener[] {
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

/** A process of another user cannot be examined, and any process may exit meanwhile. */
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
