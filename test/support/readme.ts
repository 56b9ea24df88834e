/** The shell blocks of the README, for the tests that run them. */
import { join } from "node:path";
import { root } from "./cli.ts";

const text = await Bun.file(join(root, "README.md")).text();
const blocks = (language: string) =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs"))].map((match) => match[1]!);

export const bashBlocks = blocks("bash");
export const programBlocks = blocks("ts");

/** The one with this text in it. */
export function blockWith(part: string, among: readonly string[] = bashBlocks): string {
  const found = among.filter((block) => block.includes(part));
  if (found.length !== 1)
    throw new Error(`${found.length} blocks of the README have ${JSON.stringify(part)}`);
  return found[0]!;
}

/** The commands in its table, as they are typed; of those with an example of arguments, the command alone. */
export function commandsInTable(): string[][] {
  const [, table = ""] = /## Commands\n(.*?)\n- /s.exec(text) ?? [];
  return table.split("\n").flatMap((row) => {
    const program = row.includes("(`orch`)") ? "orch" : "inbox";
    const [, , cell = ""] = row.split("|");
    return [...cell.replace(/;.*/, "").matchAll(/`([^`]+)`/g)].map(([, words]) => [
      program,
      ...words!.split(" ").filter((word) => /^[a-z-]+$/.test(word) && !word.startsWith("--")),
    ]);
  });
}
