/** The campaign `fuzz`: `npm run prove -- fuzz --minutes 5 --seed N`. Ends with 1 and the shortest failing request. */
import { parseArgs } from "node:util";
import { fuzz } from "../support/fuzz.ts";
import { hubHere } from "../support/hub.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "1" }, seed: { type: "string" } },
});
const minutes = Number(values.minutes);
const seed = values.seed === undefined ? (Math.random() * 2 ** 31) | 0 : Number(values.seed);
if (!(minutes > 0) || !Number.isInteger(seed)) {
  console.error("--minutes is a number above 0, --seed a whole number");
  process.exit(2);
}
console.log(`fuzz: ${minutes} minutes, seed ${seed}`);
// Nobody starts anything for it: what it asks to be run is only queued.
const hub = await hubHere({ supervise: false });
const found = await fuzz(hub, { seed, ms: minutes * 60_000 });
await hub[Symbol.asyncDispose]();
console.log(found.problem ?? `fuzz: ${found.requests} requests, nothing found`);
process.exit(found.problem === undefined ? 0 : 1);
