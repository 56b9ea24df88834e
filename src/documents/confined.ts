/**
 * [U2] Opening a file of a workspace, and nothing else. Where a path leads is asked of what was opened, not of the path:
 * a link that is changed in between changes nothing. On Linux the file is first only named (O_PATH), so that not even
 * opening a device or a pipe can do harm; what is read is what that name was found to be.
 */
import type { Stats } from "node:fs";
import { join, sep } from "node:path";
import { pathProblem } from "../contract/entry.ts";
import { InboxError } from "../contract/errors.ts";
import { fs } from "../system.ts";

export interface Opened {
  /** Whoever gets it closes it. */
  descriptor: number;
  stat: Stats;
}

/** Linux's own: a descriptor that names a file without opening it. */
const onlyNamed = 0o10000000;
const linux = process.platform === "linux";

/** Why a document cannot be shown; `details.gone` says that it is not there. */
export const notShown = (path: string, problem: string) =>
  new InboxError("not_found", `${path}: ${problem}`, {
    hint: "the workspace's folder is what counts: look there",
    details: { gone: true, problem },
  });

export function openConfined(root: string, path: string): Opened {
  const problem = pathProblem(path);
  if (problem) throw notShown(path, `the path ${problem}`);
  try {
    return linux ? openNamed(root, path) : openAndCompare(root, path);
  } catch (error) {
    throw error instanceof InboxError ? error : notShown(path, reasonOf(error));
  }
}

function openNamed(root: string, path: string): Opened {
  const { closeSync, constants, fstatSync, openSync, readlinkSync } = fs();
  const named = (what: string, more = 0) => openSync(what, onlyNamed | more);
  const placeOf = (descriptor: number) => readlinkSync(`/proc/self/fd/${descriptor}`);
  const folder = named(root, constants.O_DIRECTORY);
  try {
    const name = named(join(root, path));
    try {
      check(path, placeOf(folder), placeOf(name), fstatSync(name));
      // Not the path again: this opens what the descriptor names, wherever the path leads by now.
      return opened(openSync(`/proc/self/fd/${name}`, constants.O_RDONLY | constants.O_NONBLOCK));
    } finally {
      closeSync(name);
    }
  } finally {
    closeSync(folder);
  }
}

/** Elsewhere: what was opened must be what lies, at some moment after that, at a place inside. */
function openAndCompare(root: string, path: string): Opened {
  const { closeSync, constants, openSync, realpathSync, statSync } = fs();
  const descriptor = openSync(join(root, path), constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = opened(descriptor);
    const place = realpathSync(join(root, path));
    check(path, realpathSync(root), place, found.stat);
    const there = statSync(place);
    if (there.dev !== found.stat.dev || there.ino !== found.stat.ino)
      throw notShown(path, "it changed while it was opened");
    return found;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

const opened = (descriptor: number): Opened => ({ descriptor, stat: fs().fstatSync(descriptor) });

function check(path: string, root: string, place: string, stat: Stats): void {
  const folder = root.endsWith(sep) ? root : root + sep;
  if (!place.startsWith(folder)) throw notShown(path, "it leads out of the workspace");
  if (!stat.isFile()) throw notShown(path, stat.isDirectory() ? "it is a folder" : "it is not a file");
}

const reasons: Record<string, string> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EACCES: "the hub may not read it",
  EPERM: "the hub may not read it",
  ELOOP: "its links lead in a circle",
  ENAMETOOLONG: "its name is too long",
};

const reasonOf = (error: unknown) => {
  const { code } = error as { code?: string };
  return reasons[code ?? ""] ?? `it cannot be opened (${code ?? "unknown"})`;
};
