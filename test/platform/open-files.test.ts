/** [I5] Who has a file open, by /proc and by lsof. */
import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openersIn, openersOf } from "../../src/platform/open-files.ts";
import { bareEnvironment, root } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

test("[I5.1] what lsof prints is read, and this process is left out", () => {
  const text = `p${process.pid}\ncbun\nf12\np812\ncCode Helper (Plugin)\nf3\nf4\np99\nf5\n`;
  expect(openersIn(text)).toEqual([
    { pid: 812, name: "Code Helper (Plugin)" },
    { pid: 99, name: "" },
  ]);
  expect(openersIn("")).toEqual([]);
});

for (const [way, there] of [
  ["linux", true],
  ["portable", existsSync("/usr/bin/lsof")],
] as const)
  test.skipIf(!there)(`[I5.1] a process that has a file open is found: ${way}`, async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "held");
    writeFileSync(file, "");
    const holder = Bun.spawn(["sh", "-c", 'exec 3<"$0"; echo open; read -r line', file], {
      stdin: "pipe",
      stdout: "pipe",
    });
    await holder.stdout.getReader().read();
    const asked = `const { openersOf } = await import(${JSON.stringify(join(root, "src/platform/open-files.ts"))});
      console.log(JSON.stringify(openersOf([${JSON.stringify(file)}, ${JSON.stringify(`${file}-wal`)}])));`;
    const answer = Bun.spawn([process.execPath, "-e", asked], {
      env: bareEnvironment({ INBOX_PLATFORM: way }),
      stdout: "pipe",
    });
    const [found] = JSON.parse(await new Response(answer.stdout).text()) as ReturnType<typeof openersOf>;
    holder.stdin.end();
    await holder.exited;
    expect(found?.pid).toBe(holder.pid);
    expect(openersOf([file])).toEqual([]);
  });
