/** One run of the tests, with the servers they need. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { passSignals } from "./campaign.mjs";
import { bunPath, cleanEnvironment, root } from "./setup.mjs";
import { testFolder } from "./test-folder.mjs";

/**
 * Three files at a time: the machine this is measured on has two cores, and of three files one mostly waits (for a lease to end, for
 * a disk); every file has its own databases. The longest first, so that the last minute is not one lonely file: how long they
 * take `npm test -- --update-timings` measures. `coverage` is a folder to report in which lines were run.
 */
export async function runTests(files, { onOutput = () => {}, signal, env = {}, coverage } = {}) {
  const config = `--config=${join(root, "bunfig.toml")}`;
  const timings = `--timings=${join(root, "scripts/test-timings.json")}`;
  const tests = [bunPath(), config, "--no-env-file", "test", "--parallel=3", timings, "--timeout=180000"];
  if (coverage) tests.push("--coverage", "--coverage-reporter=lcov", `--coverage-dir=${coverage}`);
  tests.push(...files);
  const folder = testFolder();
  // The servers run for as long as the tests do.
  const child = spawn(bunPath(), [config, "--no-env-file", "scripts/with-servers.ts", ...tests], {
    cwd: root,
    env: { ...cleanEnvironment(), ...folder.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  passSignals(child);
  const end = () => child.kill("SIGTERM");
  signal?.addEventListener("abort", end);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
      onOutput(chunk);
    });
  const code = await new Promise((done) => child.on("close", done));
  signal?.removeEventListener("abort", end);
  folder.remove();
  return { code: code ?? 1, output };
}
