/**
 * The container of a backup: an uncompressed tar of plain files (POSIX ustar), so that any tar program can list and extract it.
 * Nothing but plain files with short names is written, and nothing else is accepted: no folders, links or extensions. Without
 * compression no member can be larger than the archive itself.
 */
import { fs } from "./system.ts";

const block = 512;
const pieceBytes = 1024 * 1024;
/** The limit of eleven octal digits; larger sizes are written in base 256, as GNU tar does. */
const octalLimit = 8 ** 11;

export interface Member {
  name: string;
  bytes: number;
  sha256: string;
}

export class TarError extends Error {}

function header(name: string, size: number): Buffer {
  const bytes = Buffer.alloc(block);
  if (Buffer.byteLength(name) > 99) throw new Error(`too long for a member's name: ${name}`);
  bytes.write(name, 0);
  bytes.write("0000600\0", 100);
  bytes.write("0000000\0", 108);
  bytes.write("0000000\0", 116);
  if (size < octalLimit) bytes.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  else {
    bytes[124] = 0x80;
    bytes.writeBigUInt64BE(BigInt(size), 128);
  }
  bytes.write(
    `${Math.floor(Date.now() / 1000)
      .toString(8)
      .padStart(11, "0")}\0`,
    136,
  );
  bytes.write("0", 156);
  bytes.write("ustar\u000000", 257, "latin1");
  bytes.write(`${checksum(bytes).toString(8).padStart(6, "0")}\0 `, 148);
  return bytes;
}

/** The sum of all bytes, with the field of the sum itself taken as spaces. */
function checksum(bytes: Buffer): number {
  let sum = 0;
  for (let i = 0; i < block; i++) sum += i >= 148 && i < 156 ? 32 : bytes[i]!;
  return sum;
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += fs().writeSync(file, bytes, at);
}

const padding = (size: number) => Buffer.alloc((block - (size % block)) % block);

/** Appends members to an open file. */
export class TarWriter {
  readonly members: Member[] = [];

  constructor(private readonly file: number) {}

  addText(name: string, text: string): void {
    const bytes = Buffer.from(text);
    writeAll(this.file, header(name, bytes.length));
    writeAll(this.file, bytes);
    writeAll(this.file, padding(bytes.length));
    const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    this.members.push({ name, bytes: bytes.length, sha256 });
  }

  /** The first `size` bytes of an open file. If it has become shorter meanwhile, the rest is filled with newlines. */
  addFile(name: string, source: number, size: number): void {
    writeAll(this.file, header(name, size));
    const hasher = new Bun.CryptoHasher("sha256");
    const piece = Buffer.alloc(pieceBytes);
    for (let at = 0; at < size; ) {
      const count = fs().readSync(source, piece, 0, Math.min(pieceBytes, size - at), at);
      const read = count ? piece.subarray(0, count) : Buffer.alloc(Math.min(pieceBytes, size - at), "\n");
      hasher.update(read);
      writeAll(this.file, read);
      at += read.length;
    }
    writeAll(this.file, padding(size));
    this.members.push({ name, bytes: size, sha256: hasher.digest("hex") });
  }

  end(): void {
    writeAll(this.file, Buffer.alloc(2 * block));
  }
}

export interface Found extends Member {
  /** Undefined if it was written to a file instead. */
  text: string | undefined;
}

/**
 * Reads a tar from beginning to end. `place` says where each member goes: the path of a new file, or "memory" for a
 * small one. It throws for an unknown name.
 */
export function readTar(file: number, place: (name: string) => string): Found[] {
  const { size: total } = fs().fstatSync(file);
  const found: Found[] = [];
  const names = new Set<string>();
  const head = Buffer.alloc(block);
  for (let at = 0; ; ) {
    if (readAt(file, head, at) < block) throw new TarError("it is truncated, or it is not a backup");
    if (head.every((byte) => byte === 0)) return found;
    const { name, size } = parse(head);
    at += block;
    if (size > total - at)
      throw new TarError(`it is truncated: the end of ${JSON.stringify(name)} is missing`);
    if (names.has(name)) throw new TarError(`${JSON.stringify(name)} is contained twice`);
    names.add(name);
    const into = place(name);
    found.push({ name, bytes: size, ...take(file, at, size, into) });
    at += Math.ceil(size / block) * block;
  }
}

function readAt(file: number, into: Buffer, at: number, length = into.length): number {
  let got = 0;
  while (got < length) {
    const count = fs().readSync(file, into, got, length - got, at + got);
    if (!count) break;
    got += count;
  }
  return got;
}

/** Larger ones are not held in memory. */
const memoryLimit = 64 * 1024 * 1024;

function take(file: number, from: number, size: number, into: string): Pick<Found, "sha256" | "text"> {
  const hasher = new Bun.CryptoHasher("sha256");
  if (into === "memory") {
    if (size > memoryLimit) throw new TarError("its list of parts is too long");
    const bytes = Buffer.alloc(size);
    if (readAt(file, bytes, from) < size) throw new TarError("it is truncated, or it is not a backup");
    return { sha256: hasher.update(bytes).digest("hex"), text: bytes.toString("utf8") };
  }
  const { closeSync, constants, openSync } = fs();
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  const target = openSync(into, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    const piece = Buffer.alloc(Math.min(pieceBytes, size || 1));
    for (let at = 0; at < size; ) {
      const count = readAt(file, piece, from + at, Math.min(piece.length, size - at));
      if (!count) throw new TarError("it is truncated, or it is not a backup");
      const read = piece.subarray(0, count);
      hasher.update(read);
      writeAll(target, read);
      at += count;
    }
  } finally {
    closeSync(target);
  }
  return { sha256: hasher.digest("hex"), text: undefined };
}

function parse(head: Buffer): { name: string; size: number } {
  const field = (from: number, length: number) => {
    const text = head.toString("latin1", from, from + length);
    const end = text.indexOf("\0");
    return end < 0 ? text : text.slice(0, end);
  };
  if (field(257, 5) !== "ustar") throw new TarError("it is not a tar file");
  if (Number.parseInt(field(148, 8), 8) !== checksum(head))
    throw new TarError("one of its headers is damaged");
  const name = field(0, 100);
  const type = field(156, 1);
  if ((type !== "0" && type !== "") || field(345, 155) !== "" || field(157, 100) !== "")
    throw new TarError(`${JSON.stringify(name)} is not a plain file`);
  const size = head[124]! & 0x80 ? Number(head.readBigUInt64BE(128)) : Number.parseInt(field(124, 12), 8);
  if (!Number.isSafeInteger(size) || size < 0) throw new TarError(`${JSON.stringify(name)} has no size`);
  return { name, size };
}
