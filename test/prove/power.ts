/**
 * The campaign `power`: power loss on SQLite. What a program writes to disk is recorded; then the power fails at every sync
 * and between them, and of what was not synced nothing, everything or torn parts are there. Each result must open, be whole
 * and have every write that was acknowledged by then. `npm run prove -- power [--seed N] [--times N]`.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Inbox } from "../../src/sdk/sdk.ts";
import { bareEnvironment, root } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { flaws } from "../support/stored.ts";
import { losses, parsed, RecordedDisk } from "./power/recorded.ts";
import { diskShim } from "./shim/shim.ts";

interface Acknowledged {
  text: string;
  at: number;
}

export interface PowerResult {
  failures: number;
  acknowledged: number;
  problem?: string;
}

async function recordIn(folder: string, shim: string, seed: number) {
  const [bus, record] = [join(folder, "bus"), join(folder, "record")];
  mkdirSync(bus);
  writeFileSync(record, "");
  const flags = [`--config=${join(root, "bunfig.toml")}`, "--no-env-file"];
  const driver = join(import.meta.dir, "power/writer-driver.ts");
  const child = Bun.spawn([process.execPath, ...flags, driver, join(bus, "coord.db"), record, String(seed)], {
    env: bareEnvironment({ LD_PRELOAD: shim, DISK_RECORD: record, DISK_FOLDER: bus }),
    cwd: "/",
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error("the writer failed");
  const acknowledged = output
    .trim()
    .split("\n")
    .map((line): Acknowledged => JSON.parse(line));
  return { record: readFileSync(record), acknowledged };
}

/** Why what is left is not what was promised. */
async function problemWith(
  files: Map<string, Buffer>,
  wanted: readonly Acknowledged[],
): Promise<string | undefined> {
  using folder = temporaryFolder();
  for (const [name, bytes] of files)
    if (!name.endsWith("-shm")) writeFileSync(join(folder.path, name), bytes, { mode: 0o600 });
  const db = join(folder.path, "coord.db");
  if (!wanted.length && !files.get("coord.db")?.length) return undefined; // it was being made
  try {
    const inbox = await Inbox.open(db);
    const found = new Set<string>();
    for (let afterId = 0; ; ) {
      const page = await inbox.messages.inbox("topic", { afterId, limit: 1000 });
      if (!page.length) break;
      for (const { content } of page) found.add(content);
      afterId = page.at(-1)!.id;
    }
    await inbox.close();
    const lost = wanted.filter(({ text }) => !found.has(text));
    if (lost.length) return `1 × lost\n${lost.length} acknowledged writes, "${lost[0]!.text}" the first`;
    const wrong = flaws(db);
    return wrong.length ? `1 × damaged\n${JSON.stringify(wrong[0])}` : undefined;
  } catch (error) {
    // A database that was being made when the power failed, and of which nothing was acknowledged, is made again.
    return wanted.length ? `1 × does not open\n${error}` : undefined;
  }
}

export async function losePower(seed: number, shim: string): Promise<PowerResult> {
  using folder = temporaryFolder();
  const { record, acknowledged } = await recordIn(folder.path, shim, seed);
  const disk = new RecordedDisk();
  let failures = 0;
  for (const one of parsed(record)) {
    disk.add(one);
    // At every sync, and now and then in between.
    if (one.what !== "sync" && one.end % 101 !== 0) continue;
    const wanted = acknowledged.filter(({ at }) => at <= one.end);
    for (const loss of losses) {
      failures++;
      const problem = await problemWith(disk.after(loss, seed + failures), wanted);
      if (problem)
        return {
          failures,
          acknowledged: acknowledged.length,
          problem: `${problem}\nafter byte ${one.end} of the record (${one.what} of ${one.name}), with ${loss} of what was not synced`,
        };
    }
  }
  rmSync(join(folder.path, "record"));
  return { failures, acknowledged: acknowledged.length };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seed: { type: "string" },
      times: { type: "string", default: "1" },
      report: { type: "string" },
    },
  });
  const first = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  const shim = diskShim();
  if (!shim) {
    console.error("power: this machine has no C compiler (gcc), or is not Linux");
    process.exit(2);
  }
  const sum = { failures: 0, acknowledged: 0, seeds: [first, first] };
  for (let seed = first; seed < first + Number(values.times); seed++) {
    const { failures, acknowledged, problem } = await losePower(seed, shim);
    console.log(`power: ${failures} failures of power, ${acknowledged} acknowledged writes, seed ${seed}`);
    sum.failures += failures;
    sum.acknowledged += acknowledged;
    sum.seeds[1] = seed;
    if (!problem) continue;
    console.log(`\n${problem}\n\nagain: npm run prove -- power --seed ${seed}`);
    process.exit(1);
  }
  if (values.report) writeFileSync(values.report, `${JSON.stringify(sum, null, 2)}\n`);
  process.exit(0);
}
