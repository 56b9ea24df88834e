/**
 * The campaign `attack`: `npm run prove -- --minutes 60 --engine all --seed N`. Rounds of some seconds, each on a fresh bus
 * with the next engine and other nemeses. Ends with 1 and the shortest history of the first violation, and its seed.
 */
import { cpSync, mkdirSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { nemeses, nemesesOf } from "./attack/nemeses.ts";
import { type Planned, planned } from "./attack/plan.ts";
import {
  count,
  type EngineCounts,
  emptyCounts,
  faultsIn,
  readReport,
  seedAfter,
  writeReport,
} from "./attack/report.ts";
import { crew, runRound } from "./attack/round.ts";
import { type EngineName, engines, serversOf } from "./attack/servers.ts";
import { explain } from "./check/checker.ts";
import type { Surface, Violation } from "./check/history.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    engine: { type: "string", default: "all" },
    seed: { type: "string" },
    /** Of one round. */
    seconds: { type: "string", default: "15" },
    rounds: { type: "string" },
    calls: { type: "string", default: "0" },
    faults: { type: "string", default: "0" },
    nemeses: { type: "string" },
    surfaces: { type: "string" },
    crowd: { type: "string", default: "1" },
    report: { type: "string" },
    add: { type: "boolean", default: false },
    keep: { type: "string" },
  },
});
const usage = `usage: npm run prove -- [--minutes N] [--engine ${engines.join("|")}|all] [--seed N]
  --seconds N      the length of a round (default: 15)
  --rounds N       end after N rounds
  --calls N        go on until there were N calls
  --faults N       go on until there were N faults
  --nemeses A,B    only these, in every round; of ${Object.keys(nemeses).join(", ")}
  --surfaces A,B   only these; of ${crew.map(([surface]) => surface).join(", ")}
  --crowd N        N times the agents on surfaces where a call needs no process (default: 1)
  --report FILE    write what was done to a file
  --add            go on where the run that wrote it ended, and add to it
  --keep FOLDER    keep the histories of rounds with a violation`;

/** One of this number of rounds. */
const patientRounds = 8;
const minutes = Number(values.minutes);
const seconds = Number(values.seconds);
const earlier = values.add && values.report !== undefined ? readReport(values.report) : undefined;
const first = earlier
  ? seedAfter(earlier)
  : values.seed === undefined
    ? Math.floor(Math.random() * 2 ** 31)
    : Number(values.seed);
const chosen = (values.engine === "all" ? [...engines] : values.engine.split(",")) as EngineName[];
const fixed = values.nemeses?.split(",").filter(Boolean);
const crowd = Number(values.crowd);
const surfaces = values.surfaces?.split(",") as Surface[] | undefined;
const wrong =
  !(minutes > 0 && seconds > 0 && crowd >= 1 && Number.isInteger(first)) ||
  !chosen.every((name) => engines.includes(name)) ||
  fixed?.some((name) => !nemeses[name]);
if (wrong) {
  console.error(usage);
  process.exit(2);
}
for (const [name, { missing }] of Object.entries(nemeses))
  if (missing) console.log(`without ${name}: this machine has no ${missing}`);
console.log(`attack: ${minutes} minutes on ${chosen.join(", ")}, seed ${first}`);

const servers = serversOf();
const started = performance.now();
const sums: Record<string, EngineCounts> = earlier?.engines ?? {};
let failed = false;

function tell({ engine, seed, nemeses: struck }: Planned, violations: Violation[]): void {
  const { rounds, calls, unknown, faults } = sums[engine]!;
  const all = Object.values(faults).reduce((sum, { count }) => sum + count, 0);
  const at = Math.round((performance.now() - started) / 1000);
  console.log(
    `${at} s: ${engine} seed ${seed} ${struck.join("+") || "without faults"}; ${rounds} rounds, ${calls} calls, ${unknown} unknown, ${all} faults`,
  );
  if (!violations.length) return;
  const kinds = new Map<string, Violation[]>();
  for (const one of violations) kinds.set(one.kind, [...(kinds.get(one.kind) ?? []), one]);
  for (const [kind, found] of kinds) console.log(`\n${found.length} × ${kind}\n${explain(found[0]!)}`);
  const again = ["--seed", seed, "--engine", engine, "--rounds 1", "--seconds", seconds, "--crowd", crowd];
  console.log(
    `\nagain: npm run prove -- ${again.join(" ")} --nemeses "${struck.join(",")}"${surfaces ? ` --surfaces ${surfaces}` : ""}\n`,
  );
}

for (let round = 0; ; round++) {
  const sum = (one: (counts: EngineCounts) => number) =>
    Object.values(sums).reduce((all, counts) => all + one(counts), 0);
  const enough = sum(({ calls }) => calls) >= Number(values.calls) && sum(faultsIn) >= Number(values.faults);
  const over = enough && performance.now() - started >= minutes * 60_000;
  if (over || round >= Number(values.rounds ?? Number.POSITIVE_INFINITY)) break;
  const plan = planned(chosen, first + round, fixed);
  const keep = values.keep && join(values.keep, `${plan.engine}-${plan.seed}`);
  const { history, violations } = await runRound({
    ...plan,
    servers,
    seconds,
    patient: plan.seed % patientRounds === 0,
    surfaces,
    crowd,
    ended(folder, found) {
      if (!keep || !found.length) return;
      mkdirSync(keep, { recursive: true });
      cpSync(folder, keep, { recursive: true, filter: (path) => !path.includes("/bus") });
    },
  });
  sums[plan.engine] ??= emptyCounts(plan.seed);
  count(sums[plan.engine]!, plan, history, violations.length);
  tell(plan, violations);
  failed ||= violations.length > 0;
  // With `--add` a round with a violation is run again once its cause was found.
  if (values.report && !(failed && values.add))
    writeReport(values.report, {
      made: new Date().toISOString().slice(0, 10),
      machine: `${cpus().length} cores`,
      minutes: (earlier?.minutes ?? 0) + Math.round((performance.now() - started) / 60_000),
      engines: sums,
    });
  if (failed) break;
}
await servers.stop();
for (const [engine, counts] of Object.entries(sums))
  console.log(
    `${engine}: ${counts.rounds} rounds, ${counts.calls} calls (${counts.ok} ok, ${counts.refused} refused, ${counts.unknown} unknown), ${faultsIn(counts)} faults of ${Object.keys(counts.faults).length} of ${nemesesOf(engine as EngineName).length} kinds`,
  );
console.log(failed ? "attack: a violation was found" : "attack: no violation was found");
process.exit(failed ? 1 : 0);
