/**
 * Runs a campaign: `bun scripts/ending-all.ts COMMAND ARGS`. Whatever ends it, also a signal, nothing that it has started goes on
 * after it: no server, no hub, no mount, no file in its temporary folder.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endAllLeftByKilledRuns } from "../test/support/left-behind.ts";

const folder = mkdtempSync(join(tmpdir(), "restante-prove-"));
chmodSync(folder, 0o755); // servers run as users of their own
const child = Bun.spawn(process.argv.slice(2), {
  env: { ...process.env, TMPDIR: folder },
  stdio: ["inherit", "inherit", "inherit"],
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
const code = await child.exited;
const left = await endAllLeftByKilledRuns();
if (left)
  console.log(`ended ${left === 1 ? "a process that was" : `${left} processes that were`} still running`);
for (const path of mountsIn(folder)) Bun.spawnSync(["umount", "-l", path]);
rmSync(folder, { recursive: true, force: true });
process.exit(code);

function mountsIn(parent: string): string[] {
  try {
    const paths = readFileSync("/proc/self/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" ")[1] ?? "");
    return paths.filter((path) => path.startsWith(`${parent}/`)).reverse();
  } catch {
    return []; // not Linux
  }
}
