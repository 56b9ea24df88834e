/** `npm test`: installs, builds, checks and tests everything. The last line counts the tests. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installForTests } from "./debian.mjs";
import { fetchNode22 } from "./runtimes.mjs";
import { install } from "./setup.mjs";
import { building, runChecks } from "./test-checks.mjs";
import { coverageSummary } from "./test-coverage.mjs";
import { countOf, engineTable, longestFiles, reasonOf, testsIn } from "./test-output.mjs";
import { runTests } from "./test-run.mjs";

const step = (name) => console.log(`\n== ${name}`);

step("install");
install();
installForTests();
fetchNode22();
step("build, format, lint, types, unused code, documents, rules, sizes, names and the dependency arrow");
await runChecks(building);
step("tests");
const files = process.argv.slice(2);
// Of a few files it would name most of the others.
const coverage = files.length ? undefined : mkdtempSync(join(tmpdir(), "restante-coverage-"));
const { code, output } = await runTests(files, {
  onOutput: (chunk) => process.stdout.write(chunk),
  coverage,
});
const tests = testsIn(output);
// What failed once more, at the end, with why: whoever reads only the end of a long log reads this.
for (const test of tests.filter(({ word }) => word === "fail"))
  console.log(`\n${reasonOf(test, tests)}\n(fail) ${test.file}: ${test.title}`);
console.log(`\nlongest files, their tests added up\n${longestFiles(tests)}`);
if (coverage) {
  console.log(`\n${coverageSummary(coverage) ?? "coverage: bun test has written no report"}`);
  rmSync(coverage, { recursive: true });
}
console.log(`\n${engineTable(tests)}`);
const [passed, failed, skipped] = ["pass", "fail", "skip"].map((word) => countOf(tests, word));
console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
if (code !== 0 && !failed) console.log(`the run itself ended with code ${code}: see above`);
process.exit(code);
