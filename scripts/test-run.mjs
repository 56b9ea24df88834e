/** One run of the tests, with the servers they need. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { bunPath, cleanEnvironment, root } from "./setup.mjs";

/**
 * Two files at a time: the machine this is measured on has two cores, and every file has its own databases. `coverage` is a
 * folder to report in which lines were run.
 */
export async function runTests(files, { onOutput = () => {}, signal, env = {}, coverage } = {}) {
  const config = `--config=${join(root, "bunfig.toml")}`;
  const tests = [bunPath(), config, "--no-env-file", "test", "--parallel=2", "--timeout=60000"];
  if (coverage) tests.push("--coverage", "--coverage-reporter=lcov", `--coverage-dir=${coverage}`);
  tests.push(...files);
  // The servers run for as long as the tests do.
  const child = spawn(bunPath(), [config, "--no-env-file", "scripts/with-servers.ts", ...tests], {
    cwd: root,
    env: { ...cleanEnvironment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  signal?.addEventListener("abort", () => child.kill("SIGTERM"), { once: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
      onOutput(chunk);
    });
  const code = await new Promise((done) => child.on("close", done));
  return { code: code ?? 1, output };
}
