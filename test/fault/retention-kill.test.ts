/** [Y1] `inbox gc` killed in the middle: nothing is half deleted, nothing that is needed is gone, and the next run goes on. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { createBus } from "../../src/engines/registry.ts";
import { root, run, start } from "../support/cli.ts";
import { kinds, type Spot } from "../support/places.ts";
import { randomOf } from "../support/random.ts";
import { until } from "../support/until.ts";

const seed = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
const random = randomOf(seed);
console.log(`retention-kill.test.ts: FAULT_SEED=${seed}`);

const program = [
  process.execPath,
  `--config=${join(root, "bunfig.toml")}`,
  "--no-env-file",
  join(root, "src/main.ts"),
];
const alive = new Set<{ kill(signal: "SIGKILL"): void }>();
afterAll(() => {
  for (const child of alive) child.kill("SIGKILL");
});

const threads = 900;
const mail = 900;
const topic = 900;
/** The last message of the topic that was read, by number. */
const read = 2 * threads + mail + (topic * 9) / 10;
const kept = { threads: threads / 10, messages: (2 * threads + mail + topic) / 10 };
const old = "2020-01-01T00:00:00.000Z";

/** Made past the program, for speed. Every tenth is still needed: a thread that is open, a message that waits, one of a topic that its reader has yet to read. */
async function fill(spot: Spot): Promise<void> {
  await createBus(spot.location);
  const numbers = (count: number) =>
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select`;
  await spot.run(`insert into threads (run_id, task_id, subject, created_by, assigned_to, addressed_to, status, created_at, updated_at)
    ${numbers(threads)} 'r', 't' || i, 's', 'lead', 'w', 'w', case when i % 10 = 0 then 'pending' else 'done' end, '${old}', '${old}' from n`);
  await spot.run(`insert into messages (thread_id, from_agent, to_agent, kind, summary, body, created_at, acked_at)
    ${numbers(2 * threads)} (i + 1) / 2, 'lead', 'w', 'event', 's' || i, 'text', '${old}', case when ((i + 1) / 2) % 10 <> 0 then '${old}' end from n`);
  await spot.run(
    `insert into artifacts (message_id, path, kind, created_at) ${numbers(2 * threads)} i, '/a', 'file', '${old}' from n`,
  );
  await spot.run(`insert into messages (from_agent, to_agent, kind, summary, body, created_at, acked_at)
    ${numbers(mail)} 'lead', 'c', 'event', 's' || i, 'text', '${old}', case when i % 10 <> 0 then '${old}' end from n`);
  await spot.run(`insert into messages (from_agent, to_agent, kind, summary, body, created_at)
    ${numbers(topic)} 'lead', 'builds', 'event', 's' || i, 'text', '${old}' from n`);
  await spot.run(`insert into readers (channel, reader, position, committed_at)
    values ('builds', 'w', ${read}, '${new Date().toISOString()}')`);
  await spot.run(
    `insert into events (source, event_type, message_id, created_at) ${numbers(2000)} 'lead', 'message.sent', i, '${old}' from n`,
  );
}

/** Whatever of a thread there is, there is all of it; and what is needed is there. */
async function expectWhole(spot: Spot): Promise<void> {
  const { threads: left, messages, artifacts, pruned } = await spot.contents();
  const of = (thread: unknown) => messages!.filter(({ thread_id }) => thread_id === thread).length;
  expect(left!.filter(({ thread_id }) => of(thread_id) !== 2)).toEqual([]);
  const inThreads = messages!.filter(({ thread_id }) => thread_id !== null);
  expect([inThreads.length, artifacts!.length]).toEqual([2 * left!.length, 2 * left!.length]);
  expect(left!.filter(({ status }) => status === "pending").length).toBe(kept.threads);
  const isWaiting = ({ to_agent, message_id, acked_at }: Record<string, unknown>) =>
    to_agent === "builds" ? Number(message_id) > read : acked_at === null;
  expect(messages!.filter(isWaiting).length).toBe(kept.messages);
  // Of every message that is gone a reader is told.
  const there = new Set(messages!.map(({ message_id }) => message_id));
  const gone = (id: number) =>
    pruned!.some(({ from_id, to_id }) => Number(from_id) <= id && id <= Number(to_id));
  const silent = Array.from({ length: 2 * threads + mail + topic }, (_, i) => i + 1).filter(
    (id) => !there.has(id) && !gone(id),
  );
  expect(silent).toEqual([]);
}

const inboxAt = (spot: Spot, ...words: string[]) =>
  run([...words, "--db", spot.location, "--json"], { program });

/** Starts gc there again and again, and kills it in the middle; answers with how often it had not ended by then. */
async function killOften(spot: Spot): Promise<number> {
  const size = async () =>
    (await spot.count("messages")) + (await spot.count("threads")) + (await spot.count("events"));
  let kills = 0;
  for (let turn = 0; turn < 5; turn++) {
    const before = await size();
    const child = start(["gc", "--db", spot.location, "--json"], { program });
    alive.add(child);
    const goal = before - 1 - random() * 900;
    while (child.exitCode === null && (await size()) > goal) await Bun.sleep(2);
    child.kill("SIGKILL");
    await child.exited;
    alive.delete(child);
    if (child.signalCode === "SIGKILL") kills++;
    await expectWhole(spot);
  }
  return kills;
}

for (const [name, place] of Object.entries(kinds))
  test(`[Y1] ${name}: gc is killed again and again, and nothing is half deleted or lost`, async () => {
    // Where gc ends before the first kill nothing is left to be killed at: it is begun anew elsewhere.
    await using spot = await until(
      "gc is killed in the middle",
      async () => {
        const here = await place();
        await fill(here);
        expect((await inboxAt(here, "retain", "set", "all", "--days", "30")).code).toBe(0);
        const kills = await killOften(here);
        console.log(`${name}: killed ${kills} times`);
        if (kills) return here;
        await here[Symbol.asyncDispose]();
        return undefined;
      },
      150_000,
    );
    const inbox = (...words: string[]) => inboxAt(spot, ...words);
    expect((await inbox("gc")).json.ok).toBe(true);
    await expectWhole(spot);
    expect(await spot.count("threads")).toBe(kept.threads);
    expect(await spot.count("messages")).toBe(kept.messages);
    const { deleted } = (await inbox("gc", "--dry-run")).json;
    expect(deleted.filter(({ count }: { count: number }) => count)).toEqual([]);
  });
