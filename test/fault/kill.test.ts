/** `kill -9` at random points of time, as power cuts and impatient people do. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { bareEnvironment, desk, root, start } from "../support/cli.ts";
import { flaws, rows } from "../support/stored.ts";
import { type Acknowledged, doubled, lost, overlapping, randomOf } from "./kill-record.ts";

const seed = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
const random = randomOf(seed);
console.log(`kill.test.ts: FAULT_SEED=${seed}`);

const slots = ["worker-0", "worker-1", "worker-2"];
const killsOfWorkers = 300;
const killsOfCommands = 60;
const alive = new Set<{ kill(signal: "SIGKILL"): void }>();
afterAll(() => {
  for (const child of alive) child.kill("SIGKILL");
});

/** Starts a worker and kills it after some acknowledgements, or before the first; answers with what it had been told. */
async function killWorker(db: string, agent: string): Promise<Acknowledged[]> {
  const flags = [`--config=${join(root, "bunfig.toml")}`, "--no-env-file"];
  const workerSeed = String(Math.floor(random() * 2 ** 31));
  const child = Bun.spawn(
    [process.execPath, ...flags, join(import.meta.dir, "kill-driver.ts"), db, agent, workerSeed],
    { env: bareEnvironment(), cwd: "/", stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  );
  alive.add(child);
  const complaints = new Response(child.stderr).text();
  // One in five dies while it starts: opening and recovery must stand it too.
  const early = random() < 0.2;
  const linesToLive = early ? Number.POSITIVE_INFINITY : 1 + Math.floor(random() * 25);
  const kill = async (afterMs: number) => {
    await Bun.sleep(afterMs);
    child.kill("SIGKILL");
  };
  let killing = early ? kill(random() * 60) : undefined;
  let output = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += chunk;
    if (output.split("\n").length > linesToLive) killing ??= kill(random() * 4);
  }
  await killing;
  await child.exited;
  alive.delete(child);
  expect({ signal: child.signalCode, complaints: await complaints }).toEqual({
    signal: "SIGKILL",
    complaints: "",
  });
  return acknowledgements(output);
}

/** What is after the last line feed was not printed to the end, so it was not acknowledged. */
const completeLines = (output: string) => output.split("\n").slice(0, -1);
const acknowledgements = (output: string): Acknowledged[] =>
  completeLines(output).map((line) => JSON.parse(line));

/** One command of the program after the other, most of them killed while they run. */
async function killCommands(db: string): Promise<{ record: Acknowledged[]; kills: number }> {
  const record: Acknowledged[] = [];
  let kills = 0;
  let held: string | undefined;
  for (let turn = 0; kills < killsOfCommands && turn < killsOfCommands * 5; turn++) {
    const summary = `command-${seed}-${turn}`;
    const sending = ["send", "--from", "cli", "--to", "crew", "--subject", "s", "--summary", summary];
    const ending = ["done", "--agent", "cli", "--thread", held ?? "", "--summary", summary];
    const args = held ? ending : random() < 0.5 ? sending : ["claim", "--agent", "cli"];
    const child = start([...args, "--db", db, "--json"]);
    alive.add(child);
    const [stdout, stderr] = [new Response(child.stdout).text(), new Response(child.stderr).text()];
    await Bun.sleep(random() * 14);
    child.kill("SIGKILL");
    await child.exited;
    alive.delete(child);
    if (child.signalCode === "SIGKILL") kills++;
    expect(await stderr).toBe("");
    const [line] = completeLines(await stdout);
    if (line === undefined) continue;
    const answer = JSON.parse(line);
    // A killed "done" that was carried out unseen: the same again is a success ([T7]), another text is not.
    if (!answer.ok) expect(answer.error.code).toBe("invalid_state");
    else if (args[0] === "claim" && answer.thread) {
      const { thread_id: thread } = answer.thread;
      record.push({ op: "claim", agent: "cli", thread, expiresAt: answer.lease.expires_at });
    } else if (answer.message) {
      record.push({ op: "message", id: answer.message.message_id, summary });
      if (args[0] === "done") record.push({ op: "end", thread: held!, status: "done" });
    }
    held = args[0] === "claim" ? answer.thread?.thread_id : undefined;
  }
  return { record, kills };
}

test("[S4] [L1] 360 processes are killed while they write: nothing acknowledged is lost, nobody holds what another holds", async () => {
  using bus = await desk();
  for (const agent of [...slots, "cli"])
    expect((await bus.inbox("pool", "join", "crew", "--agent", agent)).code).toBe(0);
  let killed = 0;
  let failed = false;
  const killInSlot = async (agent: string) => {
    const record: Acknowledged[] = [];
    while (killed < killsOfWorkers && !failed) {
      killed++;
      record.push(...(await killWorker(bus.db, agent)));
    }
    return record;
  };
  const stopOthers = (error: unknown) => {
    failed = true;
    throw error;
  };
  const [commands, ...workers] = await Promise.all([killCommands(bus.db), ...slots.map(killInSlot)]).catch(
    stopOthers,
  );
  const record = [...commands.record, ...workers.flat()];
  console.log(
    `${killed} workers and ${commands.kills} commands killed, ${record.length} writes acknowledged`,
  );

  expect(commands.kills).toBe(killsOfCommands);
  expect(record.length).toBeGreaterThan(killsOfWorkers);
  expect(lost(bus.db, record)).toEqual([]);
  expect(doubled(bus.db)).toEqual([]);
  expect(overlapping(bus.db)).toEqual([]);
  expect(flaws(bus.db)).toEqual([]);
  const ids = rows<{ event_id: number }>(bus.db, "select event_id from events order by rowid");
  expect(ids.every(({ event_id }, i) => i === 0 || event_id > ids[i - 1]!.event_id)).toBe(true);
  // And it goes on as if nothing had been.
  expect((await bus.inbox("send", "--from", "l", "--to", "w", "--subject", "after all")).code).toBe(0);
});
