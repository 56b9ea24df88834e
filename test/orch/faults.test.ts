/** [Q5] [Q7] Many tasks while supervisors and keepers are killed at random: each has one result, and nothing is left. */
import { expect, test } from "bun:test";
import { tasksPush } from "../../src/bus/procedures/tasks-push.ts";
import { openEngine } from "../../src/engines/registry.ts";
import { type Crew, crew, strike, strikeAll } from "../support/crew.ts";
import { inFull } from "../support/in-full.ts";
import { clearing } from "../support/platform.ts";
import { temporarySchema } from "../support/postgres.ts";
import { postgresSuite } from "../support/postgres-suite.ts";
import { randomOf } from "../support/random.ts";
import { until } from "../support/until.ts";

const seed = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
const random = randomOf(seed);
console.log(`faults.test.ts: FAULT_SEED=${seed}`);

/** Some answer, some fail, and all leave somebody behind who has cleared his environment and left. */
const commands = [
  `(${clearing} setsid sleep 1000 &); sleep 0.05; echo answer`,
  `(${clearing} setsid sleep 1000 &); echo complaint >&2; exit 3`,
  `(${clearing} setsid sleep 1000 &); seq 2000; echo answer`,
];

async function pushMany(team: Crew, count: number, before = 0): Promise<string[]> {
  const engine = openEngine(team.db, {});
  const names = Array.from({ length: count }, (_, i) => `task${before + i}`);
  await Promise.all(
    names.map((name, i) =>
      engine.write((tx) =>
        tasksPush(tx, {
          agent: "main",
          name,
          prompt: commands[(before + i) % commands.length]!,
          profile: "sh",
          cwd: team.path,
          retries: i % 4 === 0 ? 2 : 0,
          priority: "normal",
          after: [],
          usualPermission: null,
          worktree: "no",
          repository: null,
          review: null,
          budget: null,
          env: null,
        }),
      ),
    ),
  );
  await engine.close();
  return names;
}

/** Until all have ended: a supervisor or a keeper dies, and somebody runs a command. After enough deaths it calms down. */
async function storm(
  team: Crew,
  names: string[],
  deaths: number,
): Promise<{ supervisors: number; keepers: Set<number> }> {
  const killed = { supervisors: 0, keepers: new Set<number>() };
  const enough = names.length / 40;
  const unfinished = async () =>
    (await team.ask("select 1 as here from tasks where status <> 'finished' limit 1")).length > 0;
  for (;;) {
    if (!(await unfinished())) {
      if (killed.supervisors > enough) return killed;
      // They were quicker than we.
      names.push(...(await pushMany(team, 8, names.length)));
      await team.orch("run", "8");
    }
    await Bun.sleep(50 + random() * 250);
    const calm = killed.supervisors > enough && killed.supervisors + killed.keepers.size >= deaths;
    const one = random();
    const keepers = team.keepers();
    if (one < 0.5 && !calm) {
      const supervisors = team.supervisors();
      await strikeAll(supervisors);
      killed.supervisors += supervisors.length;
      // As if the time of its lease had passed.
      await team.ask("delete from supervision");
    }
    if (one > 0.3 && keepers.length && !calm) {
      const { pid } = keepers[Math.floor(random() * keepers.length)]!;
      strike(pid);
      killed.keepers.add(pid);
    }
    await team.inbox("list");
  }
}

async function survives(team: Crew, count: number): Promise<void> {
  const names = await pushMany(team, count);
  await team.orch("run", "8");
  const killed = await storm(team, names, count / 3);
  await until("nothing of the team runs any more", () => !team.processes().length);

  const results = await team.ask(
    "select from_agent as name, count(*) as results from messages where kind = 'result' group by from_agent",
  );
  expect(Object.fromEntries(results.map((row) => [row.name, Number(row.results)]))).toEqual(
    Object.fromEntries(names.map((name) => [name, 1])),
  );
  const outcomes = await team.ask("select name, success, error from tasks");
  for (const { name, success, error } of outcomes) {
    const fails = Number(String(name).slice("task".length)) % commands.length === 1;
    if (fails) expect(Number(success)).toBe(0);
    else if (!Number(success)) expect(String(error)).toContain("it was lost: its keeper process");
  }
  const successes = outcomes.filter((row) => Number(row.success)).length;
  console.log(
    `${killed.supervisors} supervisors and ${killed.keepers.size} keepers killed, ${successes} of ${names.length} succeeded`,
  );
  expect(killed.supervisors).toBeGreaterThan(count / 40);
  expect(await team.ask("select * from leases where released_at is null")).toEqual([]);
  expect(await team.ask("select * from supervision")).toEqual([]);
  expect(
    await team.ask("select name from tasks where keeper_token is not null or leased_until is not null"),
  ).toEqual([]);
}

test(
  "[Q5] [Q7] many tasks through 8 slots while supervisors and keepers are killed",
  async () => {
    using team = await crew();
    await survives(team, inFull(40, 400));
  },
  inFull(120_000, 900_000),
);

postgresSuite("faults", () => {
  test(
    "[Q5] [Q7] many tasks through 8 slots while supervisors and keepers are killed, on Postgres",
    async () => {
      using place = await temporarySchema();
      using team = await crew("", place.url);
      await survives(team, inFull(24, 200));
    },
    inFull(120_000, 900_000),
  );
});
