/**
 * `npm run bench [-- NAME[=SIZE] …]`: runs all benchmarks, or the named ones, one after another, and writes
 * RESULTS.md. What other things have disturbed is not written, and what does not fit into the time stays as it was.
 * `--quick`: a few of them in two minutes, beside the last figures. A new benchmark is a new file here and one line in
 * `benchmarks`.
 */
import { root } from "../test/support/cli.ts";
import { command } from "./command.ts";
import { contention } from "./contention.ts";
import { engines } from "./engines.ts";
import { entries } from "./entries.ts";
import { growth } from "./growth.ts";
import { httpGather } from "./http-gather.ts";
import { httpPage } from "./http-page.ts";
import { httpReceive } from "./http-receive.ts";
import { httpSends } from "./http-sends.ts";
import { mcp } from "./mcp.ts";
import { mcpStart } from "./mcp-start.ts";
import { orch } from "./orch.ts";
import { order } from "./order.ts";
import { page } from "./page.ts";
import { reach } from "./reach.ts";
import { retain } from "./retain.ts";
import { search } from "./search.ts";
import { size } from "./size.ts";
import { describeMachine } from "./support/machine.ts";
import { quick } from "./support/pace.ts";
import { busyShare, quiet } from "./support/proc.ts";
import { lastFigures, type Stored, writeReport } from "./support/report.ts";
import type { Benchmark } from "./support/section.ts";
import { waiters } from "./waiters.ts";
import { wake } from "./wake.ts";
import { writes } from "./writes.ts";

const benchmarks: Benchmark[] = [
  command,
  engines,
  httpSends,
  waiters,
  orch,
  wake,
  writes,
  contention,
  size,
  httpReceive,
  httpGather,
  httpPage,
  mcp,
  mcpStart,
  entries,
  search,
  page,
  order,
  retain,
  reach,
  growth,
];
/** More of the machine than this in other hands, and a figure says nothing. */
const disturbed = 0.2;
/** No benchmark is begun after this time, unless it was named. */
const wholeMs = 12 * 60_000;
const quickOnes = ["command", "engines", "writes"];
const names = benchmarks.map(({ name }) => name);
const words = process.argv.slice(2).filter((word) => word !== "--quick");
const sizes = new Map(words.map((word) => [word.split("=")[0]!, word.split("=")[1]]));
const asked = sizes.size ? [...sizes.keys()] : quick ? quickOnes : names;
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

const last = lastFigures();
const deadline = performance.now() + wholeMs;
const made: Stored[] = [];
const left: string[] = [];

for (const { name, needs = [], run } of benchmarks.filter(({ name }) => asked.includes(name))) {
  if (!sizes.size && performance.now() > deadline) {
    left.push(name);
    continue;
  }
  console.log(`\n== ${name}`);
  const missing = needs.filter((program) => !Bun.which(program));
  if (missing.length) {
    left.push(name);
    console.log(`not run: ${missing.join(", ")} not installed`);
    continue;
  }
  const busyBefore = await quiet();
  if (busyBefore > disturbed && !quick) {
    left.push(name);
    console.log(`not run: other things keep the machine ${Math.round(busyBefore * 100)} % busy`);
    continue;
  }
  const machine = describeMachine();
  const started = performance.now();
  const section = await run(sizes.get(name) === undefined ? undefined : Number(sizes.get(name)));
  const seconds = (performance.now() - started) / 1000;
  for (const { head, rows } of section.tables)
    console.table(rows.map((row) => Object.fromEntries(row.map((cell, i) => [head[i], cell]))));
  for (const { aim, found, met } of section.aims)
    console.log(
      `${met ? "met   " : "MISSED"} ${aim}: ${found}, last ${last.get(`${section.title}: ${aim}`) ?? "–"}`,
    );
  const busyAfter = await busyShare(1000);
  if (busyAfter > disturbed && !quick) {
    left.push(name);
    console.log(
      `not written: other things kept the machine ${Math.round(busyAfter * 100)} % busy just after`,
    );
  } else made.push({ section, machine, busyBefore, seconds });
}
if (!quick && made.length) console.log(`\nwritten: ${writeReport(made)}`);
if (left.length) {
  console.log(`left as they were: ${left.join(", ")}; npm run bench -- NAME runs one`);
  process.exitCode = 1;
}
