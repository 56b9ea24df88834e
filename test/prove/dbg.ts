import { runRound } from "./attack/round.ts";
import { serversOf } from "./attack/servers.ts";

const s = serversOf();
const [engine, nem, secs] = process.argv.slice(2);
const { history, violations } = await runRound({
  engine: engine as never,
  servers: s,
  seed: 3,
  nemeses: nem!.split(",").filter(Boolean),
  seconds: Number(secs),
  surfaces: process.argv[5]?.split(",") as never,
});
await s.stop();
const c: Record<string, number> = {};
for (const o of history.ops) {
  const k = `${o.op} ${o.surface} ${o.outcome} ${o.code ?? ""} ${o.outcome === "ok" ? "" : String(o.value.error).slice(0, 150)}`;
  c[k] = (c[k] ?? 0) + 1;
}
for (const k of Object.keys(c).sort())
  if (!process.argv[6] || k.includes(process.argv[6])) console.log(c[k], k);
console.log(
  history.faults.length,
  violations.map((v) => `${v.kind}: ${v.text}`),
);
process.exit();
