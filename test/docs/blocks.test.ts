/** [C16] What documents show works as it stands there. */
import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bareEnvironment, root } from "../support/cli.ts";
import { type Block, blocksOf, documents } from "../support/doc-blocks.ts";
import { temporaryFolder } from "../support/folder.ts";
import { freePort } from "../support/servers.ts";

/** One shell for the whole document: a reader has one, and what a block sets is there in the next. */
function scriptOf(blocks: readonly Block[], folder: string, port: number): string {
  const parts = blocks.map(({ language, line, text, setup = "" }) => {
    if (language === "bash") return `at=${line}\n${setup}\n${text}`;
    const file = join(folder, `.block-${line}.ts`);
    writeFileSync(file, text.replaceAll("3456", String(port)));
    return `at=${line}\n${setup}\n"${process.execPath}" --no-env-file "${file}"`;
  });
  // A port of its own: the usual one may be taken here.
  const here = parts.map((part) =>
    part.replaceAll("3456", String(port)).replace(/^(.*\binbox serve)(?!.*--port)/gm, `$1 --port ${port}`),
  );
  return `trap 'echo "the block at line $at failed: $BASH_COMMAND" >&2' ERR\n${here.join("\n")}`;
}

async function runAll(blocks: readonly Block[]): Promise<{ code: number; stderr: string }> {
  using folder = temporaryFolder();
  using home = temporaryFolder();
  const work = join(folder.path, "project");
  mkdirSync(join(work, "node_modules"), { recursive: true });
  symlinkSync(root, join(work, "node_modules/restante"));
  const { INBOX_TRUST: _, ...env } = bareEnvironment({ HOME: home.path });
  const child = Bun.spawn(["bash", "-eEuo", "pipefail", "-c", scriptOf(blocks, work, freePort())], {
    cwd: work,
    env: { ...env, PATH: `${join(root, "dist")}:${env.PATH}` },
    stdin: "ignore",
    stdout: "ignore",
    stderr: Bun.file(join(folder.path, "stderr")),
    detached: true,
  });
  const code = await child.exited;
  try {
    // What a block has left running in the background.
    process.kill(-child.pid, "SIGTERM");
  } catch {
    // Nothing.
  }
  return { code, stderr: await Bun.file(join(folder.path, "stderr")).text() };
}

for (const file of documents()) {
  const blocks = blocksOf(file);
  const runnable = blocks.filter(({ notRun }) => notRun === undefined);
  if (runnable.length)
    test(`[C16] the blocks of ${file} run as they stand there`, async () => {
      const { code, stderr } = await runAll(runnable);
      expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    });
}

test("[C16] a block that is not run says why", () => {
  const silent = documents().flatMap((file) =>
    blocksOf(file).filter(({ notRun }) => notRun !== undefined && notRun.length < 8),
  );
  expect(silent).toEqual([]);
});
