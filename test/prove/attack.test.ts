/** A minute of the attack: `npm run prove` does as much of it as it is given. */
import { afterAll, expect, test } from "bun:test";
import { hasRabbit, postgresPrograms } from "../support/servers.ts";
import { nemeses } from "./attack/nemeses.ts";
import { runRound } from "./attack/round.ts";
import { type EngineName, serversOf } from "./attack/servers.ts";
import { explain } from "./check/checker.ts";
import type { Surface } from "./check/history.ts";
import { losePower } from "./power.ts";
import { diskShim } from "./shim/shim.ts";

const seed = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`attack.test.ts: FAULT_SEED=${seed}`);

const servers = serversOf();
afterAll(() => servers.stop(), 30_000);

interface Round {
  engine: EngineName;
  nemeses: string[];
  seconds: number;
  surfaces?: Surface[];
  missing?: boolean;
}

/** The tests beside it need the processor, too. */
const restMs = 120;
const few: Surface[] = ["rest", "sdk", "sdk-hub"];
const rounds: Round[] = [
  { engine: "sqlite", nemeses: ["kill-hub", "break-lines", "kill-calls"], seconds: 20 },
  {
    engine: "postgres",
    nemeses: ["crash-postgres", "kill-hub"],
    seconds: 20,
    surfaces: few,
    missing: !postgresPrograms(),
  },
  {
    engine: "rabbitmq",
    nemeses: ["kill-rabbit", "break-lines"],
    seconds: 20,
    surfaces: few,
    missing: !hasRabbit() || !postgresPrograms(),
  },
];

for (const round of rounds)
  test.skipIf(round.missing === true)(
    `[S4] [B4] [L1] [L4] [M3] [M9] [G4] ${round.engine} under ${round.nemeses.join(", ")}: what agents were told is true`,
    async () => {
      const { history, violations } = await runRound({ ...round, restMs, servers, seed });
      expect(violations.slice(0, 3).map(explain)).toEqual([]);
      const struck = new Set(history.faults.map(({ nemesis }) => nemesis));
      const done = history.ops.filter(({ outcome }) => outcome === "ok").length;
      console.log(
        `${round.engine}: ${history.ops.length} calls, ${done} ok, ${history.faults.length} faults`,
      );
      expect(struck.size).toBeGreaterThan(0);
      expect(done).toBeGreaterThan(10);
      for (const name of struck) expect(nemeses[name]!.engines).toContain(round.engine);
    },
    180_000,
  );

const shim = diskShim();
if (!shim) console.warn("SKIPPED: power loss on SQLite, for there is no C compiler");

test.skipIf(!shim)(
  "[S4] the power fails at every sync, with torn writes after it: every acknowledged write is there",
  async () => {
    const { failures, acknowledged, problem } = await losePower(seed, shim!);
    expect(problem).toBeUndefined();
    expect(acknowledged).toBeGreaterThan(20);
    expect(failures).toBeGreaterThan(50);
  },
  180_000,
);
