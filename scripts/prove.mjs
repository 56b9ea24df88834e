/**
 * `npm run prove -- CAMPAIGN …`: proofs that take as long as they are given. A campaign is a program in test/prove, or a test
 * file with a full form (test/support/in-full.ts), of which `npm test` runs a short one; or it is whole suites, run another way.
 * Without a name it is `attack`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { buildIfChanged } from "./build.mjs";
import { campaign } from "./campaign.mjs";
import { root } from "./setup.mjs";
import { runTests } from "./test-run.mjs";

const folder = join(root, "test/prove");
const programs = readdirSync(folder)
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => basename(file, ".ts"));
const inFull = /from "\.\.\/support\/in-full\.ts"/;
const files = readdirSync(join(root, "test"), { recursive: true })
  .filter((file) => file.endsWith(".test.ts") && inFull.test(readFileSync(join(root, "test", file), "utf8")))
  .map((file) => join("test", file));
/** By campaign: files of one name belong together. */
const testsOf = (name) => files.filter((file) => basename(file, ".test.ts") === name);

/** `portable`: sub-agents, faults and waking with Linux asked as every other system is (docs/platforms.md). */
const suites = {
  portable: { files: ["test/orch/", "test/fault/", "test/engine/"], env: { INBOX_PLATFORM: "portable" } },
};

const given = process.argv.slice(2);
const [name, ...rest] = given[0] === undefined || given[0].startsWith("--") ? ["attack", ...given] : given;
const program = join(folder, `${name}.ts`);
if (programs.includes(name) && existsSync(program)) {
  buildIfChanged();
  campaign(program, rest);
} else if (suites[name]) {
  const { files, env } = suites[name];
  await prove(rest.length ? rest : files, env);
} else if (testsOf(name).length) {
  await prove([...testsOf(name), ...rest], { TEST_IN_FULL: "1" });
} else {
  const names = new Set([
    ...programs,
    ...Object.keys(suites),
    ...files.map((file) => basename(file, ".test.ts")),
  ]);
  console.error(
    `usage: npm run prove -- [CAMPAIGN] [OPTIONS] (default: attack; a wrong option shows a campaign's own)\ncampaigns: ${[...names].sort().join(", ")}`,
  );
  process.exit(2);
}

async function prove(tests, env) {
  buildIfChanged();
  const { code } = await runTests(tests, { onOutput: (chunk) => process.stdout.write(chunk), env });
  process.exit(code);
}
