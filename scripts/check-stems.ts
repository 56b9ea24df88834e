/**
 * One stem per operation: `threads.waitReply` is `threads-wait-reply` wherever a file holds a part of it, and
 * `threadsWaitReply` in the contract. Whoever knows an operation's name finds its files, and the other way round.
 */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { AnyOperation } from "../src/contract/operation.ts";
import { table } from "../src/contract/operations/index.ts";

const root = join(import.meta.dir, "..");

/** Each operation has its file here, and nothing else has one. */
const contract = "src/contract/operations";
/** What an operation does is in at least one of these. In the first there is nothing but operations. */
const work = [
  "src/bus/procedures",
  "src/inbox",
  "src/waiting",
  "src/orch/operations",
  "src/admin",
  "src/setup",
  "src/surfaces/cli",
];

const stemOf = (name: string) =>
  name.replace(".", "-").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const constantOf = (stem: string) => stem.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

const operations: readonly AnyOperation[] = table;
const stems = new Set(operations.map(({ name }) => stemOf(name)));
const nouns = [...new Set(operations.map(({ name }) => stemOf(name.split(".")[0]!)))];
const problems: string[] = [];

for (const op of operations) {
  const stem = stemOf(op.name);
  const declared = join(contract, `${stem}.ts`);
  const found = existsSync(join(root, declared)) ? await import(join(root, declared)) : {};
  if (found[constantOf(stem)] !== op)
    problems.push(`${op.name} must be declared in ${declared} as ${constantOf(stem)}`);
  if (!work.some((folder) => existsSync(join(root, folder, `${stem}.ts`))))
    problems.push(`${op.name} has no file ${stem}.ts in any of ${work.join(", ")}`);
}

for (const noun of nouns) {
  const file = `src/surfaces/text/render-${noun}.ts`;
  if (!existsSync(join(root, file))) problems.push(`the answers of ${noun} must be rendered in ${file}`);
}

for await (const file of new Bun.Glob("src/**/*.ts").scan(root)) {
  const folder = dirname(file);
  const stem = basename(file, ".ts");
  if (stems.has(stem) || stem === "index") continue;
  const onlyOperations = folder === contract || folder === work[0];
  const looksLikeOne = work.includes(folder) && nouns.some((noun) => stem.startsWith(`${noun}-`));
  if (onlyOperations || looksLikeOne) problems.push(`${file} has the name of no operation`);
}

if (problems.length) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log(`${operations.length} operations, each with its stem`);
