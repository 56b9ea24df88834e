/**
 * The campaign `attack`: `npm run prove -- --minutes 60 --engine all --seed N`. Rounds of some seconds, each on a fresh bus
 * with the next engine and other nemeses. Ends with 1 and the shortest history of the first violation, and its seed.
 */
import { parseArgs } from "node:util";
import { runRound } from "./attack/round.ts";
import { type EngineName, engines, serversOf } from "./attack/servers.ts";
import { explain } from "./check/checker.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    engine: { type: "string", default: "sqlite" },
    seed: { type: "string" },
    seconds: { type: "string", default: "15" },
    nemeses: { type: "string", default: "kill-hub" },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const chosen = values.engine === "all" ? [...engines] : (values.engine.split(",") as EngineName[]);
const servers = serversOf();
const { history, violations } = await runRound({
  engine: chosen[0]!,
  servers,
  seed,
  nemeses: values.nemeses.split(",").filter(Boolean),
  seconds: Number(values.seconds),
});
await servers.stop();
const counts: Record<string, number> = {};
for (const op of history.ops) {
  const k = `${op.surface} ${op.outcome} ${op.outcome === "ok" ? "" : op.code}`;
  counts[k] = (counts[k] ?? 0) + 1;
}
console.log(counts, history.ops.length, history.faults.length);
const kinds: Record<string, number> = {};
for (const { kind } of violations) kinds[kind] = (kinds[kind] ?? 0) + 1;
console.log(kinds);
for (const kind of Object.keys(kinds)) console.log(explain(violations.find((v) => v.kind === kind)!), "\n");
process.exit(violations.length ? 1 : 0);
