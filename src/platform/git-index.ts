/** Whether git tracks a file. Read from the index itself: the configuration of a repository can make git start other programs. */
import { dirname, join, relative, sep } from "node:path";
import { readOwnBytes } from "./own-files.ts";
import { fs, stampOf } from "./system.ts";

/** A supervisor checks in every round, and an index may have a hundred thousand files. */
let last: { seen: string; tracked: string[] } = { seen: "", tracked: [] };

/** The files of these that the repository around them tracks. */
export function trackedByGit(paths: readonly string[]): string[] {
  if (!paths.length) return [];
  try {
    const root = repositoryAround(dirname(paths[0]!));
    if (root === undefined) return [];
    const index = join(gitFolder(root), "index");
    const seen = `${stampOf(index).text} ${paths.join("\0")}`;
    if (seen === last.seen) return last.tracked;
    const wanted = new Map(paths.map((path) => [relative(root, path).split(sep).join("/"), path]));
    const tracked = [...pathsIn(readOwnBytes(index)!)].flatMap((name) => wanted.get(name) ?? []);
    last = { seen, tracked };
    return tracked;
  } catch {
    return []; // not a repository that can be read
  }
}

function repositoryAround(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (fs().existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** In a worktree `.git` is a file that contains the path. */
function gitFolder(root: string): string {
  const path = join(root, ".git");
  if (fs().statSync(path).isDirectory()) return path;
  const [, where] = /^gitdir: (.*)$/m.exec(String(readOwnBytes(path))) ?? [];
  return join(where!.startsWith("/") ? "" : root, where!);
}

const headerBytes = 12;
/** Times, device, inode, mode, owner and size come before the object's name. */
const statBytes = 40;
const extended = 0x4000;

/** git's index format, versions 2 to 4. */
function* pathsIn(index: Buffer): Generator<string> {
  const version = index.readUInt32BE(4);
  const count = index.readUInt32BE(8);
  const nameBytes = hashBytes(index);
  let at = headerBytes;
  let before = Buffer.alloc(0);
  for (let n = 0; n < count; n++) {
    const begin = at;
    at += statBytes + nameBytes;
    at += index.readUInt16BE(at) & extended ? 4 : 2;
    let kept = Buffer.alloc(0);
    if (version >= 4) {
      const cut = varint(index, at);
      at = cut.next;
      kept = before.subarray(0, before.length - cut.value);
    }
    const end = index.indexOf(0, at);
    before = Buffer.concat([kept, index.subarray(at, end)]);
    yield before.toString("utf8");
    // Before version 4, entries are padded with 1 to 8 NULs to a multiple of 8.
    at = version >= 4 ? end + 1 : begin + ((end - begin + 8) & ~7);
  }
}

/** SHA-256 repositories have longer object names: only with the right length does the first path end where its length says. */
function hashBytes(index: Buffer): number {
  if (index.readUInt32BE(8) === 0) return 20;
  for (const length of [20, 32]) {
    const flags = index.readUInt16BE(headerBytes + statBytes + length);
    const path = headerBytes + statBytes + length + (flags & extended ? 4 : 2);
    if (index.indexOf(0, path) - path === (flags & 0xfff)) return length;
  }
  return 20;
}

function varint(bytes: Buffer, from: number): { value: number; next: number } {
  let next = from;
  let byte = bytes[next++]!;
  let value = byte & 0x7f;
  while (byte & 0x80) {
    byte = bytes[next++]!;
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, next };
}
