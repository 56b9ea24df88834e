/** Writing without waiting for a reader. */
import { expect, test } from "bun:test";
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { makePipe } from "../../src/platform/descriptors.ts";
import { isPortable } from "../../src/platform/portable.ts";
import { writeAtOnce } from "../../src/platform/system.ts";
import { temporaryFolder } from "../support/folder.ts";

const bytes = (length: number) => new Uint8Array(length).map((_, i) => i % 251);

test.skipIf(isPortable())("[C2] a pipe takes what fits, and the rest once somebody has read", () => {
  const { from, to } = makePipe()!;
  try {
    const sent = bytes(1_000_000);
    const first = writeAtOnce(to, sent);
    expect(first).toBeGreaterThanOrEqual(4096);
    expect(first).toBeLessThan(sent.length);
    expect(writeAtOnce(to, sent.subarray(first))).toBe(0);
    const read = new Uint8Array(first);
    expect(readSync(from, read)).toBe(first);
    expect(Bun.hash(read)).toBe(Bun.hash(sent.subarray(0, first)));
    expect(writeAtOnce(to, sent.subarray(first))).toBeGreaterThan(0);
  } finally {
    for (const end of [from, to]) closeSync(end);
  }
});

test.skipIf(isPortable())(
  "[C2] a pipe without a reader, a full device and a closed descriptor take nothing",
  () => {
    const { from, to } = makePipe()!;
    closeSync(from);
    const full = openSync("/dev/full", "w");
    try {
      expect([to, full].map((descriptor) => writeAtOnce(descriptor, bytes(10)))).toEqual([0, 0]);
    } finally {
      for (const end of [to, full]) closeSync(end);
    }
    expect(writeAtOnce(to, bytes(10))).toBe(0);
  },
);

test.skipIf(isPortable())("[C2] a file takes everything, after what is there", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "out");
  const sent = bytes(100_000);
  for (let round = 0; round < 2; round++) {
    const file = openSync(path, "a");
    expect(writeAtOnce(file, sent)).toBe(sent.length);
    closeSync(file);
  }
  expect(Bun.hash(readFileSync(path))).toBe(Bun.hash(Buffer.concat([sent, sent])));
});
