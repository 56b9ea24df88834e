/**
 * The campaign `report`: everything that docs/guarantees.md tells, one after the other on a quiet machine: the planted bugs,
 * the attack on every engine, power loss, the soak. `npm run prove -- report [--minutes 60] [--soak-minutes 125] [--seed N]`.
 * Writes docs/proof and makes the documents anew. Ends with 1 where one of them does.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "../support/cli.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    "soak-minutes": { type: "string", default: "125" },
    calls: { type: "string", default: "1000000" },
    faults: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
  },
});
const folder = join(root, "docs/proof");
mkdirSync(folder, { recursive: true });

function run(campaign: string, ...options: string[]): boolean {
  console.log(`== ${campaign} ${options.join(" ")}`);
  const program = join(import.meta.dir, `${campaign}.ts`);
  const report = ["--report", join(folder, `${campaign}.json`)];
  const flags = [`--config=${join(root, "bunfig.toml")}`, "--no-env-file"];
  const { exitCode } = Bun.spawnSync([process.execPath, ...flags, program, ...options, ...report], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  return exitCode === 0;
}

const { minutes, calls, faults, seed } = values;
const all = [
  run("planted"),
  run(
    "attack",
    "--engine",
    "all",
    "--minutes",
    minutes,
    "--calls",
    calls,
    "--faults",
    faults,
    "--seed",
    seed,
  ),
  run("power", "--times", "20", "--seed", seed),
  run("soak", "--minutes", values["soak-minutes"]),
];
const made = Bun.spawnSync(["npm", "run", "docs"], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
process.exit(all.every(Boolean) && made.exitCode === 0 ? 0 : 1);
