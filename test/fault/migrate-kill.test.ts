/** [G5] `inbox migrate` killed in the middle, and run while the source is in use: run again, it ends with the same bus. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { busMigrate } from "../../src/admin/bus-migrate.ts";
import type { InboxError } from "../../src/contract/errors.ts";
import { createBus } from "../../src/engines/registry.ts";
import { bareEnvironment, root, run, start } from "../support/cli.ts";
import { inFull, isFull } from "../support/in-full.ts";
import { kinds, type Spot } from "../support/places.ts";
import { randomOf } from "../support/random.ts";
import { until } from "../support/until.ts";

const seed = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
const random = randomOf(seed);
console.log(`migrate-kill.test.ts: FAULT_SEED=${seed}`);

const bun = [process.execPath, `--config=${join(root, "bunfig.toml")}`, "--no-env-file"];
const big = 6000;
const times = inFull(2, 60);
const alive = new Set<{ kill(signal: "SIGKILL"): void }>();
afterAll(() => {
  for (const child of alive) child.kill("SIGKILL");
});

/** Made past the program, for speed: so many messages and events, and threads they belong to. */
async function fill(source: Spot): Promise<void> {
  await createBus(source.location);
  const numbers = (count: number) =>
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select`;
  await source.run(`insert into threads (run_id, task_id, subject, created_by, assigned_to, addressed_to, status, created_at, updated_at)
    ${numbers(1500)} 'r', 't' || i, 's', 'lead', 'w', 'w', 'pending', 'now', 'now' from n`);
  await source.run(`insert into messages (thread_id, from_agent, to_agent, kind, summary, body, created_at)
    ${numbers(big)} case when i <= 1500 then i end, 'lead', 'w', 'event', 's' || i, hex(randomblob(100)), 'now' from n`);
  await source.run(
    `insert into artifacts (message_id, path, kind, created_at) ${numbers(1500)} i, '/a', 'file', 'now' from n`,
  );
  await source.run(
    `insert into events (source, event_type, message_id, created_at) ${numbers(big)} 'lead', 'message.sent', i, 'now' from n`,
  );
}

function begin(source: Spot, target: Spot) {
  const child = start(["migrate", "--from", source.location, "--to", target.location, "--json"]);
  alive.add(child);
  return child;
}

/** Kills it once so many more rows have arrived; false if it had ended by then. */
async function killAfter(rows: number, source: Spot, target: Spot): Promise<boolean> {
  const arrived = async () => (await target.count("messages")) + (await target.count("events"));
  const before = await arrived();
  const child = begin(source, target);
  while (child.exitCode === null && (await arrived()) < before + rows) await Bun.sleep(5);
  return end(child);
}

/** A copy that was killed in the middle, most often again and again. One that ends before that shows nothing: it is begun anew. */
const halfCopied = (source: Spot, to: string) =>
  until(
    "a copy is killed in the middle",
    async () => {
      const target = await kinds[to]!();
      let kills = 0;
      while (kills < times && (await killAfter(1 + random() * (big / 4), source, target))) kills++;
      if (kills) return { target, kills };
      await target[Symbol.asyncDispose]();
      return undefined;
    },
    150_000,
  );

async function end(child: Bun.Subprocess): Promise<boolean> {
  child.kill("SIGKILL");
  await child.exited;
  alive.delete(child);
  return child.signalCode === "SIGKILL";
}

for (const to of Object.keys(kinds))
  test(`[G5] to ${to}: killed again and again while it copies, compares and deletes, it continues where it was`, async () => {
    await using source = await kinds.file!();
    await fill(source);
    const copy = await halfCopied(source, to);
    await using target = copy.target;
    let { kills } = copy;
    const flags = ["migrate", "--from", source.location, "--to", target.location, "--json"];
    const moved = await run(flags);
    expect(moved.json).toMatchObject({ ok: true, rows: 2 * big + 3000 });
    expect(moved.json.copied).toBeLessThan(2 * big);
    expect(await target.contents()).toEqual(await source.contents());

    // The source changes; now most of the time it deletes, or compares.
    await source.run("delete from artifacts where artifact_id % 3 = 0");
    await source.run(`delete from messages where message_id > 1500 and message_id % 3 = 0`);
    await source.run("update messages set acked_at = 'now' where message_id % 5 = 0");
    for (let i = 0; i < times; i++) {
      const child = begin(source, target);
      await Promise.race([child.exited, Bun.sleep(20 + random() * 300)]);
      if (await end(child)) kills++;
    }
    console.log(`${to}: killed ${kills} times`);
    expect((await run(flags)).json.ok).toBe(true);
    expect(await target.contents()).toEqual(await source.contents());
    expect((await run(flags)).json).toMatchObject({ copied: 0, deleted: 0 });
  });

// Between databases of one kind rarely: reading and writing are the same as between two.
for (const from of Object.keys(kinds))
  for (const to of Object.keys(kinds).filter((kind) => isFull || kind !== from))
    test(`[G5] from ${from} to ${to}: a source in use is copied but for the rest, is not said to be done, and ends whole`, async () => {
      await using first = await kinds.file!();
      await using source = await kinds[from]!();
      await using target = await kinds[to]!();
      await fill(first);
      const move = (one: Spot, other: Spot) =>
        busMigrate({ env: {}, cwd: "/" }, { from: one.location, to: other.location });
      await move(first, source);
      // A worker of another process, as fast as it can.
      const script = join(import.meta.dir, "kill-driver.ts");
      const child = Bun.spawn([...bun, script, source.location, "w", String(seed)], {
        env: bareEnvironment(),
        cwd: "/",
        stdio: ["ignore", "pipe", "inherit"],
      });
      alive.add(child);
      const lines = child.stdout.getReader();
      await lines.read(); // it has begun
      // What nobody reads would fill the pipe, and it would stop there.
      const heard = (async () => {
        while (!(await lines.read()).done);
      })();
      // Where the worker stands still for as long as it takes, the source is not in use, and the copy is whole.
      const error = await until("a copy meets a source that is written to", () =>
        move(source, target).then(
          () => undefined,
          (error: InboxError) => error,
        ),
      );
      expect([error.code, error.hint]).toEqual(["busy", expect.stringContaining("run it again")]);
      await end(child);
      await heard;
      const rest = await move(source, target);
      expect(await target.contents()).toEqual(await source.contents());
      // What the first move had copied is not copied again; how much the worker wrote meanwhile depends on the machine.
      expect(rest.copied).toBeLessThan(rest.rows - big);
    });
