/** The signature in an executable for macOS, on a small one that has nothing but its frame. */
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { root } from "../support/cli.ts";

const { isSignatureRight, withoutSignature } = await import(join(root, "scripts/release/mach-o.mjs"));

const pageBytes = 64;

/** A header, __LINKEDIT, the signature's command and one after it; then contents, and the signature over all of that. */
function executable(): Buffer {
  const [commandBytes, contentBytes] = [72 + 16 + 24, 100];
  const from = 32 + commandBytes + contentBytes;
  const count = Math.ceil(from / pageBytes);
  const directoryBytes = 44 + count * 32;
  const bytes = Buffer.alloc(from + 20 + directoryBytes);
  for (const [at, value] of [
    [0, 0xfeedfacf],
    [16, 3],
    [20, commandBytes],
  ] as const)
    bytes.writeUInt32LE(value, at);
  bytes.writeUInt32LE(0x19, 32);
  bytes.writeUInt32LE(72, 36);
  bytes.write("__LINKEDIT", 40);
  bytes.writeBigUInt64LE(BigInt(bytes.length - 200), 32 + 48);
  for (const [i, value] of [0x1d, 16, from, bytes.length - from, 0x1b, 24].entries())
    bytes.writeUInt32LE(value, 104 + 4 * i);
  bytes.fill("u", 128, 144);
  bytes.fill("c", 144, from);
  for (const [i, value] of [0xfade0cc0, bytes.length - from, 1, 0, 20].entries())
    bytes.writeUInt32BE(value, from + 4 * i);
  const at = from + 20;
  for (const [offset, value] of [
    [0, 0xfade0c02],
    [4, directoryBytes],
    [16, 44],
    [28, count],
    [32, from],
  ] as const)
    bytes.writeUInt32BE(value, at + offset);
  bytes[at + 36] = 32;
  bytes[at + 39] = Math.log2(pageBytes);
  for (let page = 0; page < count; page++) {
    const part = bytes.subarray(page * pageBytes, Math.min((page + 1) * pageBytes, from));
    createHash("sha256")
      .update(part)
      .digest()
      .copy(bytes, at + 44 + page * 32);
  }
  return bytes;
}

test("[I1.1] a signature is right only if every byte is as it was signed", () => {
  const bytes = executable();
  expect(isSignatureRight(bytes)).toBe(true);
  bytes[200]! ^= 1;
  expect(isSignatureRight(bytes)).toBe(false);
});

test("[I1.1] a signature that does not fit is taken out, and nothing else changes", () => {
  const bytes = executable();
  const from = bytes.readUInt32LE(112);
  const stripped: Buffer = withoutSignature(bytes);
  expect(stripped.length).toBe(from);
  expect([stripped.readUInt32LE(16), stripped.readUInt32LE(20)]).toEqual([2, 96]);
  expect(stripped.readBigUInt64LE(80)).toBe(BigInt(from - 200));
  // The command after it has moved up, and the contents stay where they were.
  expect(stripped.toString("latin1", 104, 144)).toBe(
    `${bytes.toString("latin1", 120, 144)}${"\0".repeat(16)}`,
  );
  expect(stripped.subarray(144).equals(bytes.subarray(144, from))).toBe(true);
  expect(isSignatureRight(stripped)).toBe(false);
  expect(withoutSignature(stripped)).toBe(stripped);
});
