/** Deleting a folder while another process deletes in it, as a program does that is just ending. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeTree } from "../../src/platform/remove-tree.ts";
import { temporaryFolder } from "../support/folder.ts";

const files = 20;
const rounds = 100;

test("[I5.1] a folder is gone even if another process deletes files in it at the same time", async () => {
  using at = temporaryFolder();
  const folder = join(at.path, "a");
  const inner = join(folder, "b");
  const deleting = `const { unlinkSync } = require("node:fs");
    console.log("ready");
    for (;;) for (let k = 0; k < ${files}; k++) try { unlinkSync(${JSON.stringify(inner)} + "/" + k); } catch {}`;
  const other = Bun.spawn([process.execPath, "-e", deleting], { stdout: "pipe" });
  try {
    await other.stdout.getReader().read();
    const left: number[] = [];
    for (let round = 0; round < rounds; round++) {
      mkdirSync(inner, { recursive: true });
      for (let k = 0; k < files; k++) writeFileSync(join(inner, String(k)), "");
      removeTree(folder);
      if (existsSync(folder)) left.push(round);
    }
    expect(left).toEqual([]);
  } finally {
    other.kill("SIGKILL");
    await other.exited;
  }
});

test("[I5.1] a folder that does not exist is no error", () => {
  using at = temporaryFolder();
  expect(() => removeTree(join(at.path, "nothing"))).not.toThrow();
});
