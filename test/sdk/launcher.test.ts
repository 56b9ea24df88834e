/** npm's launcher and what replaces it, around a small program in place of ours. */
import { expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bareEnvironment, root } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

const { hostTarget } = await import(join(root, "scripts/release/targets.mjs"));

/** A package with a launcher, and one of this platform with that script as its program. */
function packaged(script: string) {
  const folder = temporaryFolder();
  const bin = join(folder.path, "node_modules/restante/bin");
  const platform = join(folder.path, `node_modules/restante-${hostTarget().name}`);
  for (const each of [bin, join(platform, "bin")]) mkdirSync(each, { recursive: true });
  for (const name of ["program.cjs", "install.cjs"])
    copyFileSync(join(root, "packaging/npm", name), join(bin, name));
  for (const name of ["inbox", "orch", "restante"])
    copyFileSync(join(root, "packaging/npm/run.cjs"), join(bin, name));
  writeFileSync(join(bin, "package.json"), '{"type":"commonjs"}');
  writeFileSync(join(platform, "package.json"), "{}");
  writeFileSync(join(platform, "bin/inbox"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const start = (file: string, ...args: string[]) =>
    Bun.spawn(["node", join(bin, file), ...args], {
      env: bareEnvironment(),
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
  return { bin, platform, start, [Symbol.dispose]: folder[Symbol.dispose] };
}

test("[I2.3] the launcher passes on arguments, streams and the exit code", async () => {
  using made = packaged('printf "%s|" "$@"; cat; echo problem >&2; exit 7');
  const child = made.start("orch", "a b", "--c");
  child.stdin.write("typed");
  await child.stdin.end();
  const [out, problems] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([await child.exited, out, problems]).toEqual([7, "a b|--c|typed", "problem\n"]);
});

test("[I2.3] a signal reaches the program, and its death by a signal is the launcher's", async () => {
  using made = packaged("trap 'kill $!; echo told; exit 9' TERM; sleep 600 & echo ready; wait $!");
  const child = made.start("inbox");
  const reader = child.stdout.getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("ready\n");
  child.kill("SIGTERM");
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("told\n");
  expect(await child.exited).toBe(9);

  using dying = packaged("kill -KILL $$");
  const killed = dying.start("inbox");
  await killed.exited;
  expect(killed.signalCode).toBe("SIGKILL");
});

test("[I2.2] the installation replaces all three names by the program, and fails for nothing", async () => {
  using made = packaged("echo replaced");
  expect(await made.start("install.cjs").exited).toBe(0);
  for (const name of ["inbox", "orch", "restante"])
    expect(readFileSync(join(made.bin, name), "utf8")).toContain("echo replaced");

  using bare = packaged("");
  rmSync(bare.platform, { recursive: true });
  expect(await bare.start("install.cjs").exited).toBe(0);
  const child = bare.start("inbox", "--version");
  expect(await new Response(child.stderr).text()).toContain("Install again without --omit=optional");
  expect(await child.exited).toBe(50);
});
