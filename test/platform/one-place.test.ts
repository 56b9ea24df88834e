/** [I5.1] The machine is asked in one place: elsewhere nothing reads /proc, opens the C library or watches files by itself. */
import { expect, test } from "bun:test";
import { relative } from "node:path";
import { root } from "../support/cli.ts";

const direct = /\/proc\/|\bdlopen\b|\bfs\(\)\.watch\(|\bINBOX_PLATFORM\b/;
/** Reasons, not calls. */
const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");

test("[I5.1] only src/platform reads /proc, opens the C library, watches files, and knows the switch", async () => {
  const found: string[] = [];
  for await (const file of new Bun.Glob(`${root}/src/**/*.ts`).scan())
    if (direct.test(withoutComments(await Bun.file(file).text()))) found.push(relative(root, file));
  expect(found.filter((file) => !file.startsWith("src/platform/"))).toEqual([]);
  expect(found.length).toBeGreaterThan(3);
});
