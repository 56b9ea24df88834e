/** [I5.1] The machine is asked in one place: elsewhere nothing reads /proc, opens the C library or watches files by itself. */
import { expect, test } from "bun:test";
import { relative } from "node:path";
import { root } from "../support/cli.ts";

const direct = /\/proc\/|\bdlopen\b|\bfs\(\)\.watch\(|\bINBOX_PLATFORM\b/;
/** Reasons, not calls. */
const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");

const sources = async (wanted: RegExp) => {
  const found: string[] = [];
  for await (const file of new Bun.Glob(`${root}/src/**/*.ts`).scan())
    if (wanted.test(withoutComments(await Bun.file(file).text()))) found.push(relative(root, file));
  return found;
};

test("[I5.1] only src/platform reads /proc, opens the C library, watches files, and knows the switch", async () => {
  const found = await sources(direct);
  expect(found.filter((file) => !file.startsWith("src/platform/"))).toEqual([]);
  expect(found.length).toBeGreaterThan(3);
});

test("[I5.1] folders are deleted in one place, which looks whether they are gone", async () => {
  expect(await sources(/\brm(Sync|dirSync)?\([^)]*\brecursive\b/)).toEqual(["src/platform/remove-tree.ts"]);
});
