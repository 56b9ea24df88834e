/**
 * [U2] Opens a file of a workspace, and nothing else. Where a path leads is checked on the opened file, not on the
 * path: a link that is changed in between has no effect. On Linux the file is first only referenced (O_PATH), so that
 * not even opening a device or a pipe can do harm; what is read is the file that was checked.
 */
import type { Stats } from "node:fs";
import { join, sep } from "node:path";
import type { BusFiles } from "../contract/document.ts";
import { pathProblem } from "../contract/entry.ts";
import { InboxError } from "../contract/errors.ts";
import { pathOfOpen } from "../platform/descriptors.ts";
import { isPortable } from "../platform/portable.ts";
import { fs, look } from "../platform/system.ts";
import { isOfBus } from "./bus-files.ts";

export interface Opened {
  /** The caller closes it. */
  descriptor: number;
  stat: Stats;
}

/** Linux: a descriptor that references a file without opening it. */
const onlyNamed = 0o10000000;

/** Why a document cannot be shown. */
export const notShown = (path: string, problem: string) =>
  new InboxError("not_found", `${path}: ${problem}`, {
    hint: "check the file in the workspace's folder",
    details: { gone: true, problem },
  });

/** A folder whose documents are shown, by its registered path, and the bus, whose files may be in it. */
export interface Confines {
  root: string;
  bus: BusFiles;
}

export function openConfined({ root, bus }: Confines, path: string): Opened {
  const problem = pathProblem(path);
  if (problem) throw notShown(path, `the path ${problem}`);
  try {
    const opened = !isPortable() ? openNamed(root, path) : openAndCompare(root, path);
    if (!isOfBus(bus, opened.place, opened.stat)) return opened;
    fs().closeSync(opened.descriptor);
    throw notShown(path, "it belongs to the bus itself");
  } catch (error) {
    throw error instanceof InboxError ? error : notShown(path, reasonOf(error));
  }
}

/**
 * [U1] Those of the paths at which there is no file. None if the folder is not on this machine: then nothing is known
 * about its files.
 */
export function missingIn(confines: Confines, paths: readonly string[]): string[] {
  if (look(confines.root)?.kind !== "folder") return [];
  return paths.filter((path) => {
    try {
      fs().closeSync(openConfined(confines, path).descriptor);
      return false;
    } catch (error) {
      if (error instanceof InboxError) return error.details?.problem === noFile;
      throw error;
    }
  });
}

type Placed = Opened & { place: string };

function openNamed(root: string, path: string): Placed {
  const { closeSync, constants, fstatSync, openSync, readlinkSync } = fs();
  const named = (what: string, more = 0) => openSync(what, onlyNamed | more);
  const placeOf = (descriptor: number) => readlinkSync(pathOfOpen(descriptor));
  const folder = named(root, constants.O_DIRECTORY);
  try {
    checkRoot(path, root, placeOf(folder));
    // From the opened folder, not from its path again: that may lead elsewhere by now.
    const name = named(join(pathOfOpen(folder), path));
    try {
      const place = placeOf(name);
      check(path, placeOf(folder), place, fstatSync(name));
      const found = opened(openSync(pathOfOpen(name), constants.O_RDONLY | constants.O_NONBLOCK));
      return { ...found, place };
    } finally {
      closeSync(name);
    }
  } finally {
    closeSync(folder);
  }
}

/** Elsewhere: the opened file must be the one that is, at some moment after that, at a path inside. */
function openAndCompare(root: string, path: string): Placed {
  const { closeSync, constants, openSync, realpathSync, statSync } = fs();
  const descriptor = openSync(join(root, path), constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = opened(descriptor);
    const place = realpathSync(join(root, path));
    checkRoot(path, root, realpathSync(root));
    check(path, realpathSync(root), place, found.stat);
    const there = statSync(place);
    if (there.dev !== found.stat.dev || there.ino !== found.stat.ino)
      throw notShown(path, "it changed while it was opened");
    return { ...found, place };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

const opened = (descriptor: number): Opened => ({ descriptor, stat: fs().fstatSync(descriptor) });

/** A workspace is registered by the real path of its folder: a path that is now a link leads to another folder. */
function checkRoot(path: string, root: string, place: string): void {
  if (join(root, ".") !== join(place, "."))
    throw notShown(path, `the workspace's folder is now a link to ${place}: add the workspace again`);
}

function check(path: string, root: string, place: string, stat: Stats): void {
  const folder = root.endsWith(sep) ? root : root + sep;
  if (!place.startsWith(folder)) throw notShown(path, "it is outside the workspace");
  if (!stat.isFile()) throw notShown(path, stat.isDirectory() ? "it is a folder" : "it is not a file");
}

const noFile = "there is no such file";

const reasons: Record<string, string> = {
  ENOENT: noFile,
  ENOTDIR: noFile,
  EACCES: "the hub has no permission to read it",
  EPERM: "the hub has no permission to read it",
  ELOOP: "its symbolic links form a loop",
  ENAMETOOLONG: "its name is too long",
};

const reasonOf = (error: unknown) => {
  const { code } = error as { code?: string };
  return reasons[code ?? ""] ?? `it cannot be opened (${code ?? "unknown"})`;
};
