/** `npm test`: installs, builds, checks and tests everything. The last line counts the tests. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { build } from "./build.mjs";
import { installPrograms } from "./debian.mjs";
import { bunPath, cleanEnvironment, install, root, run, runBun } from "./setup.mjs";

const step = (name) => console.log(`\n== ${name}`);

step("install");
install();
installPrograms();
step("build");
build();
step("format and lint");
run(join(root, "node_modules/.bin/biome"), ["check", "--error-on-warnings", "."]);
step("types");
run(join(root, "node_modules/.bin/tsc"), ["--noEmit"]);
run(join(root, "node_modules/.bin/tsc"), ["--noEmit", "-p", "web"]);
step("unused code");
runBun(["node_modules/.bin/knip", "--no-progress"]);
step("documents, rules and the dependency arrow");
runBun(["scripts/check-docs.ts"]);
runBun(["scripts/check-rules.ts"]);
runBun(["scripts/check-arrow.ts"]);
step("tests");
process.exit(await test(process.argv.slice(2)));

/** The engines as columns: the same tests, and what became of them on each. */
function report(output) {
  const engines = ["sqlite", "hub", "postgres", "rabbitmq"];
  const row = (word) =>
    engines.map((name) => [...output.matchAll(new RegExp(`^\\(${word}\\) ${name} > `, "gm"))].length);
  const line = (cells) => cells.map((cell) => String(cell).padStart(10)).join("");
  console.log(`\n${line(["", ...engines])}`);
  for (const word of ["pass", "fail", "skip"]) console.log(line([word, ...row(word)]));
}

/** What failed once more, at the end, with why: whoever reads only the end of a long log reads this. */
function failures(output) {
  const told = /^(?:\((?:pass|fail|skip|todo)\) .*|\S+\.test\.ts:)$/;
  let since = [];
  for (const line of output.split("\n")) {
    if (line.startsWith("(fail) ") && since.length)
      console.log(`\n${[...since.slice(-60), line].join("\n")}`);
    if (told.test(line)) since = [];
    else since.push(line);
  }
}

/** Two files at a time: the machine this is measured on has two cores, and every file has its own databases. */
async function test(files) {
  // The servers run for as long as the tests do.
  const args = [
    `--config=${join(root, "bunfig.toml")}`,
    "--no-env-file",
    "scripts/with-servers.ts",
    bunPath(),
    `--config=${join(root, "bunfig.toml")}`,
    "--no-env-file",
    "test",
    "--parallel=2",
    "--timeout=60000",
    ...files,
  ];
  const child = spawn(bunPath(), args, {
    cwd: root,
    env: cleanEnvironment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      output += chunk;
      process.stdout.write(chunk);
    });
  const code = await new Promise((done) => child.on("close", done));
  const count = (word) =>
    Number([...output.matchAll(new RegExp(`^ *(\\d+) ${word}`, "gm"))].at(-1)?.[1] ?? 0);
  failures(output);
  report(output);
  console.log(`\n${count("pass")} passed, ${count("fail")} failed, ${count("skip")} skipped`);
  return code ?? 1;
}
