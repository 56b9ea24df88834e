/**
 * The signature of an executable for macOS. The compiler signs those for arm64 anew, where the system demands it; in those for x64
 * it leaves the runtime's own, which fits no longer: a wrong signature is worse than none, so that one is taken out.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const headerBytes = 32;
const segment64 = 0x19;
const codeSignature = 0x1d;
const codeDirectory = 0xfade0c02;

/** The load commands: what each is, where it stands and how long it is. */
function commandsOf(bytes) {
  if (bytes.readUInt32LE(0) !== 0xfeedfacf) throw new Error("not an executable for macOS");
  const commands = [];
  let at = headerBytes;
  for (let left = bytes.readUInt32LE(16); left > 0; left--) {
    const [kind, size] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
    commands.push({ kind, at, size });
    at += size;
  }
  return { commands, end: at };
}

/** The text of a signature lies at the end of the file, in the segment of that name, by a load command. */
export function withoutSignature(bytes) {
  const { commands, end } = commandsOf(bytes);
  const signature = commands.find(({ kind }) => kind === codeSignature);
  if (!signature) return bytes;
  const [from, length] = [bytes.readUInt32LE(signature.at + 8), bytes.readUInt32LE(signature.at + 12)];
  const isLinkEdit = ({ kind, at }) =>
    kind === segment64 && bytes.toString("latin1", at + 8, at + 24).startsWith("__LINKEDIT\0");
  const segment = commands.find(isLinkEdit);
  if (from + length !== bytes.length || !segment)
    throw new Error("the signature is not at the end of the file");
  const stripped = Buffer.from(bytes.subarray(0, from));
  const sizeAt = segment.at + 48;
  stripped.writeBigUInt64LE(stripped.readBigUInt64LE(sizeAt) - BigInt(length), sizeAt);
  // The commands after it move up.
  bytes.copy(stripped, signature.at, signature.at + signature.size, end);
  stripped.fill(0, end - signature.size, end);
  stripped.writeUInt32LE(commands.length - 1, 16);
  stripped.writeUInt32LE(end - signature.size - headerBytes, 20);
  return stripped;
}

/** Whether each page has the checksum that the signature gives it; false where there is none. */
export function isSignatureRight(bytes) {
  const signature = commandsOf(bytes).commands.find(({ kind }) => kind === codeSignature);
  if (!signature) return false;
  const from = bytes.readUInt32LE(signature.at + 8);
  for (let index = 0; index < bytes.readUInt32BE(from + 8); index++) {
    const at = from + bytes.readUInt32BE(from + 12 + 8 * index + 4);
    if (bytes.readUInt32BE(at) !== codeDirectory) continue;
    const [hashes, count, limit] = [16, 28, 32].map((offset) => bytes.readUInt32BE(at + offset));
    const [hashBytes, pageBytes] = [bytes[at + 36], 2 ** bytes[at + 39]];
    if (limit !== from || count !== Math.ceil(limit / pageBytes)) return false;
    for (let page = 0; page < count; page++) {
      const part = bytes.subarray(page * pageBytes, Math.min((page + 1) * pageBytes, limit));
      const wanted = bytes.subarray(at + hashes + page * hashBytes, at + hashes + (page + 1) * hashBytes);
      if (!createHash("sha256").update(part).digest().subarray(0, hashBytes).equals(wanted)) return false;
    }
    return true;
  }
  return false;
}

/** After the compiler. */
export function settleSignature({ os, cpu, name }, file) {
  if (os !== "darwin") return;
  const bytes = readFileSync(file);
  if (isSignatureRight(bytes)) return;
  if (cpu === "arm64")
    throw new Error(`${name}: the compiler's signature is wrong, and macOS would not start it`);
  writeFileSync(file, withoutSignature(bytes));
}
