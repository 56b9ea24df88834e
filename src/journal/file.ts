/** [U5] The journal's file: lines are appended; to remove some, it is rewritten and renamed into place. */
import { dirname } from "node:path";
import { openOwn, openOwnNew, openOwnToAppend } from "../platform/own-files.ts";
import { fs } from "../platform/system.ts";
import { idIn } from "./line.ts";

/** How many ids a query asks about. */
export const askedAtOnce = 500;

const newline = 0x0a;
const pieceBytes = 1024 * 1024;

/** Every line without its end, as bytes: invalid text is kept as it is. Yields to other work in between. */
async function* linesOf(path: string): AsyncGenerator<Uint8Array> {
  const { closeSync, constants, readSync } = fs();
  const descriptor = openOwn(path, constants.O_RDONLY);
  try {
    const piece = Buffer.alloc(pieceBytes);
    let rest = Buffer.alloc(0);
    for (;;) {
      const count = readSync(descriptor, piece, 0, pieceBytes, null);
      if (count === 0) break;
      let text = Buffer.concat([rest, piece.subarray(0, count)]);
      for (let end = text.indexOf(newline); end >= 0; end = text.indexOf(newline)) {
        yield text.subarray(0, end);
        text = text.subarray(end + 1);
      }
      rest = Buffer.from(text);
      await new Promise((done) => setImmediate(done));
    }
    if (rest.length) yield rest;
  } finally {
    closeSync(descriptor);
  }
}

async function* linesIn(path: string): AsyncGenerator<Uint8Array> {
  if (!fs().existsSync(path)) return;
  for await (const line of linesOf(path)) if (line.length) yield line;
}

export async function idsIn(path: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const line of linesIn(path)) {
    const id = idIn(line);
    if (id !== undefined) ids.add(id);
  }
  return ids;
}

/** The last line; undefined where there is none. */
export function lastLine(path: string): Uint8Array | undefined {
  const { closeSync, constants, existsSync, fstatSync, readSync } = fs();
  if (!existsSync(path)) return undefined;
  const descriptor = openOwn(path, constants.O_RDONLY);
  try {
    const { size } = fstatSync(descriptor);
    for (let length = Math.min(size, 4096); length > 0; length = Math.min(size, length * 8)) {
      const tail = Buffer.alloc(length);
      readSync(descriptor, tail, 0, length, size - length);
      let end = tail.length;
      while (end > 0 && tail[end - 1] === newline) end--;
      const begin = tail.lastIndexOf(newline, end - 1);
      if (end > 0 && (begin >= 0 || length === size)) return tail.subarray(begin + 1, end);
      if (length === size) return undefined;
    }
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** Appended after what was there, however that ends: half a line, left by a writer that died, becomes a line of its own. */
export function addLines(path: string, lines: readonly string[]): void {
  if (!lines.length) return;
  const { closeSync, fstatSync, readSync, writeSync } = fs();
  const descriptor = openOwnToAppend(path);
  try {
    const { size } = fstatSync(descriptor);
    const last = Buffer.alloc(1);
    if (size > 0) readSync(descriptor, last, 0, 1, size - 1);
    const torn = size > 0 && last[0] !== newline;
    let left: Uint8Array = Buffer.from(`${torn ? "\n" : ""}${lines.join("\n")}\n`);
    while (left.length) left = left.subarray(writeSync(descriptor, left));
  } finally {
    closeSync(descriptor);
  }
}

/** Rewrites it without the lines that are not kept. A reader sees the old file or the new one, and a crash leaves one of them. */
export async function keepLines(path: string, keeps: (line: Uint8Array) => boolean): Promise<void> {
  const { closeSync, existsSync, fsyncSync, openSync, renameSync, writeSync } = fs();
  if (!existsSync(path)) return;
  const temporary = `${path}.tmp`;
  const descriptor = openOwnNew(temporary);
  try {
    let waiting: Uint8Array[] = [];
    let bytes = 0;
    const flush = () => {
      let left: Uint8Array = Buffer.concat(waiting);
      while (left.length) left = left.subarray(writeSync(descriptor, left));
      waiting = [];
      bytes = 0;
    };
    for await (const line of linesOf(path)) {
      if (!keeps(line)) continue;
      // A copy: the line is a part of what is read next.
      waiting.push(Buffer.from(line), Buffer.of(newline));
      bytes += line.length;
      if (bytes > pieceBytes) flush();
    }
    flush();
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, path);
  const folder = openSync(dirname(path), "r");
  fsyncSync(folder);
  closeSync(folder);
}
