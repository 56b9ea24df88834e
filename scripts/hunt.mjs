/**
 * `npm run hunt -- [--times N] [--burn N] [--slow N] [--stutter MS] FILES`: runs tests again and again beside programs that burn a
 * core each, with a browser that is N times slower, and with processes that stand still for up to so many milliseconds, one after
 * the other; and says which tests failed, how often, and why. For failures that come once in a while.
 */
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { buildIfChanged } from "./build.mjs";
import { stutter } from "./stutter.mjs";
import { countOf, reasonOf, testsIn } from "./test-output.mjs";
import { runTests } from "./test-run.mjs";

const usage =
  "usage: npm run hunt -- [--times N] [--burn N] [--slow N] [--stutter MS] FILES (default: 10 times, beside one burner)";
const { times, burn, slow, stutter: standstill, files } = readArguments();

function readArguments() {
  const names = { times: "10", burn: "1", slow: "1", stutter: "0" };
  const options = Object.fromEntries(
    Object.entries(names).map(([name, value]) => [name, { type: "string", default: value }]),
  );
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    const numbers = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));
    const { times, burn, slow, stutter } = numbers;
    if (times >= 1 && burn >= 0 && slow >= 1 && stutter >= 0) return { ...numbers, files: positionals };
  } catch (error) {
    console.error(error.message);
  }
  console.error(usage);
  process.exit(2);
}

buildIfChanged();
process.env.TEST_PAGE_SLOWNESS = String(slow);
const burners = Array.from({ length: burn }, () =>
  spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }),
);
process.on("exit", () => {
  for (const burner of burners) burner.kill("SIGKILL");
});
if (standstill) stutter(standstill);
/** Ctrl-C ends the hunt, and shows what was found until then. */
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stop.abort());

/** By test: its reasons, one for each time it failed. */
const failures = new Map();
const noted = (name, reason) => failures.set(name, [...(failures.get(name) ?? []), reason]);

let rounds = 0;
while (rounds < times) {
  const started = performance.now();
  const { code, output } = await runTests(files, { signal: stop.signal });
  if (stop.signal.aborted) break;
  rounds++;
  const tests = testsIn(output);
  const failed = tests.filter(({ word }) => word === "fail");
  for (const test of failed) noted(`${test.file}: ${test.title}`, reasonOf(test, tests));
  if (code !== 0 && !failed.length)
    noted(`the run itself, which ended with code ${code}`, output.split("\n").slice(-60).join("\n"));
  const seconds = Math.round((performance.now() - started) / 1000);
  const counts = ["pass", "fail", "skip"].map((word) => `${countOf(tests, word)} ${word}`).join(", ");
  console.log(`round ${rounds} of ${times}: ${counts}, ${seconds} s`);
  for (const test of failed) console.log(`  ${test.title}`);
}

for (const [name, reasons] of [...failures].sort(([, a], [, b]) => b.length - a.length))
  console.log(
    `\n== failed in ${reasons.length} of ${rounds}: ${name}\n${[...new Set(reasons)].join("\n--\n")}`,
  );
console.log(
  failures.size ? `\n${failures.size} failed at least once` : `\nnothing failed in ${rounds} rounds`,
);
process.exit(failures.size ? 1 : 0);
