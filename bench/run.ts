/**
 * `npm run bench [-- NAME[=SIZE] …]`: runs all benchmarks, or the named ones, one after another, and writes
 * RESULTS.md. A new benchmark is a new file here and one line in `benchmarks`.
 */
import { root } from "../test/support/cli.ts";
import { command } from "./command.ts";
import { contention } from "./contention.ts";
import { engines } from "./engines.ts";
import { entries } from "./entries.ts";
import { httpGather } from "./http-gather.ts";
import { httpPage } from "./http-page.ts";
import { httpReceive } from "./http-receive.ts";
import { httpSends } from "./http-sends.ts";
import { mcp } from "./mcp.ts";
import { orch } from "./orch.ts";
import { order } from "./order.ts";
import { page } from "./page.ts";
import { retain } from "./retain.ts";
import { search } from "./search.ts";
import { size } from "./size.ts";
import { describeMachine } from "./support/machine.ts";
import { quiet } from "./support/proc.ts";
import { store, writeReport } from "./support/report.ts";
import type { Benchmark } from "./support/section.ts";
import { waiters } from "./waiters.ts";
import { wake } from "./wake.ts";
import { writes } from "./writes.ts";

const benchmarks: Benchmark[] = [
  command,
  wake,
  waiters,
  writes,
  contention,
  size,
  httpSends,
  httpReceive,
  httpGather,
  httpPage,
  mcp,
  entries,
  search,
  page,
  engines,
  order,
  orch,
  retain,
];
const names = benchmarks.map(({ name }) => name);
const sizes = new Map(process.argv.slice(2).map((word) => [word.split("=")[0]!, word.split("=")[1]]));
const asked = [...sizes.keys()];
const unknown = asked.filter((name) => !names.includes(name));
if (unknown.length) {
  console.error(`there is no benchmark ${unknown.join(", ")}; there are ${names.join(", ")}`);
  process.exit(2);
}

// The programs measured are the built ones.
const built = Bun.spawnSync(["node", "scripts/build.mjs"], {
  cwd: root,
  stdio: ["ignore", "ignore", "inherit"],
});
if (!built.success) process.exit(1);

for (const { name, run } of benchmarks) {
  if (asked.length && !asked.includes(name)) continue;
  console.log(`\n== ${name}`);
  const busyBefore = await quiet();
  const machine = describeMachine();
  const started = performance.now();
  const section = await run(sizes.get(name) === undefined ? undefined : Number(sizes.get(name)));
  store(name, { section, machine, busyBefore, seconds: (performance.now() - started) / 1000 });
  for (const { head, rows } of section.tables)
    console.table(rows.map((row) => Object.fromEntries(row.map((cell, i) => [head[i], cell]))));
  for (const { aim, found, met } of section.aims)
    console.log(`${met ? "met   " : "MISSED"} ${aim}: ${found}`);
}
console.log(`\nwritten: ${writeReport(names)}`);
