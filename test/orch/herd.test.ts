/** [Q16] Many tasks at once: each is run, and none fails because the others were started beside it; a thousand in `npm run prove -- herd`. */
import { expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { InboxError } from "../../src/contract/errors.ts";
import { createBus, openEngine } from "../../src/engines/registry.ts";
import { guardOver } from "../../src/orch/guard.ts";
import { absenceOf, patiently } from "../../src/orch/retry.ts";
import { byHand } from "../support/by-hand.ts";
import { type Crew, crew, queued } from "../support/crew.ts";
import { engines } from "../support/engines.ts";
import { temporaryFolder } from "../support/folder.ts";
import { inFull, isFull } from "../support/in-full.ts";
import { administrator, postgresUrl, temporarySchema } from "../support/postgres.ts";
import { until } from "../support/until.ts";

const allEnded = (team: Crew) =>
  until(
    "every task has ended",
    async () => !(await team.ask("select 1 from tasks where status <> 'finished' limit 1")).length,
    inFull(100_000, 800_000),
  );

const started = 'echo "$INBOX_TASK" >>runs';

/** Every one was run once, and succeeded. */
async function allRan(team: Crew, count: number): Promise<void> {
  await allEnded(team);
  const failed = await team.ask("select name, error, attempt from tasks where success = 0 or attempt <> 1");
  expect(failed).toEqual([]);
  const runs = (await Bun.file(join(team.path, "runs")).text()).trim().split("\n");
  expect([runs.length, new Set(runs).size]).toEqual([count, count]);
}

const many = inFull(100, 1000);

test(
  `[Q16] ${many} tasks that are released at once on a file are all run, once each`,
  async () => {
    using team = await crew();
    await queued(team, many, started);
    expect((await team.orch("run")).json.released.length).toBe(many);
    await allRan(team, many);
  },
  inFull(120_000, 900_000),
);

if (isFull && postgresUrl)
  test(`[Q16] ${many} tasks that are released at once on Postgres are all run, once each`, async () => {
    const place = await temporarySchema();
    try {
      using team = await crew("", place.url);
      await queued(team, many, started);
      expect((await team.orch("run")).json.released.length).toBe(many);
      await allRan(team, many);
    } finally {
      place[Symbol.dispose]();
    }
  }, 900_000);

test.if(postgresUrl !== undefined)(
  "[Q16] forty tasks that run at the same time on Postgres are all run, and hold fewer connections than tasks",
  async () => {
    const place = await temporarySchema();
    try {
      using team = await crew("", place.url);
      await queued(team, 40, `${started}; until [ -e go ]; do sleep 0.1; done`);
      await team.orch("run");
      const file = join(team.path, "runs");
      await until(
        "the sub-agents have begun",
        async () => (await Bun.file(file).exists()) && (await Bun.file(file).text()).split("\n").length > 40,
      );
      // Idle keepers hold none; each needs one for a moment, every few seconds.
      await until("fewer connections are held than tasks run", async () => {
        const [row] = await administrator()`
          select count(*)::int as held from pg_stat_activity where application_name = 'restante'`;
        return row!.held < 40;
      });
      // A keeper that listens to its supervisor hears at once that its task is to end.
      await team.orch("kill", "t7");
      await until(
        "the task has ended",
        async () => (await team.ask("select status from tasks where name = 't7'"))[0]!.status === "finished",
      );
      await Bun.write(join(team.path, "go"), "");
      await allEnded(team);
      const failed = await team.ask("select name, attempt from tasks where success = 0 or attempt <> 1");
      expect(failed).toEqual([{ name: "t7", attempt: 1 }]);
    } finally {
      place[Symbol.dispose]();
    }
  },
  180_000,
);

test("[Q16] what the database refuses for want of room is tried again, and what it refuses for good is not", async () => {
  let tries = 0;
  const work = async () => {
    if (++tries < 3) throw new InboxError("busy", "too many clients");
    return tries;
  };
  expect(await patiently(work)).toBe(3);
  expect(patiently(() => Promise.reject(new InboxError("not_found", "no")))).rejects.toThrow("no");
});

test("[Q16.2] the running sub-agent of a keeper whose database is gone is ended, and not before", async () => {
  await using bench = await byHand(engines.find(({ name }) => name === "sqlite")!);
  const { number, token } = await bench.started("t");
  const first = (await bench.keep("t"))!;
  const { engine, location: db } = bench;
  let gone = false;
  const errors: string[] = [];
  let reached = false;
  const missing = {
    failed(error: unknown) {
      errors.push((error as Error).message);
      return gone;
    },
    ended() {
      reached = true;
    },
  };
  const keeping = { engine, db, number, token, url: null, env: {}, onKept() {}, onOver() {} };
  const guard = guardOver({ ...keeping, serve: () => "", spelling: () => () => undefined }, first, {
    onBeat() {},
    onInterrupt() {},
    missing,
  });
  try {
    await until("a call has reached it", () => reached);
    renameSync(db, `${db}.moved`);
    await until("a beat has failed", () => errors.length === 1);
    expect([guard.signal.aborted, errors[0]]).toEqual([
      false,
      expect.stringContaining("was deleted or replaced"),
    ]);
    gone = true;
    await until("the sub-agent has to end", () => guard.signal.aborted);
    expect(guard.signal.reason).toEqual({
      error: "its database file was deleted or replaced",
      reason: "lost",
    });
    expect([errors.length, guard.stale()]).toEqual([2, false]);
  } finally {
    guard.stop();
    renameSync(`${db}.moved`, db);
  }
});

test("[Q16.2] a database file that is missing for too long is given up, and one that comes back is not", async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "bus.db");
  await createBus(file);
  const engine = openEngine(file);
  const reading = (limitMs: number) =>
    patiently(() => engine.read((tx) => tx.clock()), undefined, absenceOf(limitMs));
  await reading(0);
  renameSync(file, `${file}.moved`);
  await expect(reading(0)).rejects.toThrow("was deleted or replaced");
  const waiting = reading(60_000);
  renameSync(`${file}.moved`, file);
  await waiting;
  renameSync(file, `${file}.moved`);
  await createBus(file);
  await expect(reading(100)).rejects.toThrow("was deleted or replaced");
  await engine.close();
});

test("[Q16.2] how long the file has been missing counts from the last call that reached it", () => {
  let now = 0;
  const { failed, ended } = absenceOf(1000, () => now);
  const lost = new InboxError("storage", "it was deleted or replaced", { details: { missing: true } });
  const failsAt = (time: number) => {
    now = time;
    return failed(lost);
  };
  expect([failsAt(0), failsAt(999), failsAt(1000)]).toEqual([false, false, true]);
  ended();
  expect([failsAt(5000), failsAt(5999), failsAt(6000)]).toEqual([false, false, true]);
});
