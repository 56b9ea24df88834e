/** Which engine and which nemeses each round of a campaign has: every nemesis alone in turn, and mixtures of several. */
import { randomOf } from "../../support/random.ts";
import { nemesesOf } from "./nemeses.ts";
import type { EngineName } from "./servers.ts";

export interface Planned {
  engine: EngineName;
  seed: number;
  nemeses: string[];
}

/** Every second round is a mixture. The n-th round of a campaign with seed S is the first of one with seed S + n. */
export function planned(engines: readonly EngineName[], seed: number, fixed?: readonly string[]): Planned {
  const random = randomOf(seed);
  const engine = engines[seed % engines.length]!;
  const all = nemesesOf(engine);
  const turn = Math.floor(seed / engines.length);
  if (fixed) return { engine, seed, nemeses: fixed.filter((name) => all.includes(name)) };
  if (turn % 2 === 0) return { engine, seed, nemeses: [all[(turn / 2) % all.length]!] };
  const count = 2 + Math.floor(random() * 3);
  const shuffled = all
    .map((name) => ({ name, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ name }) => name);
  // A standby replaces the server that the others would strike.
  const alone = (name: string) => name === "fail-over";
  return { engine, seed, nemeses: shuffled.filter((name) => !alone(name)).slice(0, count) };
}
