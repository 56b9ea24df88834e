/** The checks that need no test: two at a time, since most of them keep one core busy and wait for files in between. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { bunPath, cleanEnvironment, root } from "./setup.mjs";

const installed = (name) => join(root, "node_modules/.bin", name);
const bun = (...args) => [bunPath(), `--config=${join(root, "bunfig.toml")}`, "--no-env-file", ...args];

/** The longest first. */
const checks = () => [
  ["types", installed("tsc"), "--noEmit"],
  ["unused code", ...bun("node_modules/.bin/knip", "--no-progress")],
  ["types of the page", installed("tsc"), "--noEmit", "-p", "web"],
  ["format and lint", installed("biome"), "check", "--error-on-warnings", "."],
  ["documents", ...bun("scripts/check-docs.ts")],
  ["rules", ...bun("scripts/check-rules.ts")],
  ["the dependency arrow", ...bun("scripts/check-arrow.ts")],
  ["sizes of files and functions", ...bun("scripts/check-sizes.ts")],
  ["names of files", ...bun("scripts/check-stems.ts")],
  ["words", ...bun("scripts/check-words.ts")],
];

/** What it printed, in one piece, and how it ended. */
async function outcome(command, args) {
  const child = spawn(command, args, {
    cwd: root,
    env: cleanEnvironment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
    });
  const code = await new Promise((done, fail) => child.on("close", done).on("error", fail));
  return { code, output };
}

/** For `npm test`: none of the checks looks at what is built. */
export const building = ["build", process.execPath, "scripts/build.mjs", "--undeclared"];

/** Runs all of them, with what else can be done meanwhile, and ends the process if one has failed. */
export async function runChecks(...also) {
  const waiting = [...also, ...checks()];
  const failed = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [name, command, ...args] = next;
      const { code, output } = await outcome(command, args);
      if (code !== 0) failed.push(name);
      console.log(`${code === 0 ? "ok" : "FAILED"}: ${name}${output.trim() ? `\n${output.trimEnd()}` : ""}`);
    }
  };
  await Promise.all([work(), work()]);
  if (!failed.length) return;
  console.log(`\nfailed: ${failed.join(", ")}`);
  process.exit(1);
}
