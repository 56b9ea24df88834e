/** `kill -9` of processes at work, as in test/fault/kill.test.ts, with the same workers and the same checks, on the server. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { openInbox } from "../../src/inbox.ts";
import { type Acknowledged, doubled, lost, overlapping, randomOf } from "../fault/kill-record.ts";
import { bareEnvironment, root } from "../support/cli.ts";
import { temporarySchema } from "../support/postgres.ts";
import { postgresSuite } from "../support/postgres-suite.ts";
import { copied, flaws } from "../support/stored-postgres.ts";

const seed = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
const random = randomOf(seed);
const slots = ["worker-0", "worker-1", "worker-2"];
const kills = 45;

const alive = new Set<{ kill(signal: "SIGKILL"): void }>();
afterAll(() => {
  for (const child of alive) child.kill("SIGKILL");
});

/** Starts a worker and kills it after some acknowledgements, or before the first; answers with what it had been told. */
async function killWorker(db: string, agent: string): Promise<Acknowledged[]> {
  const flags = [`--config=${join(root, "bunfig.toml")}`, "--no-env-file"];
  const driver = join(root, "test/fault/kill-driver.ts");
  const workerSeed = String(Math.floor(random() * 2 ** 31));
  const child = Bun.spawn([process.execPath, ...flags, driver, db, agent, workerSeed], {
    env: bareEnvironment(),
    cwd: "/",
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  alive.add(child);
  const complaints = new Response(child.stderr).text();
  // One in five dies while it starts or connects.
  const early = random() < 0.2;
  const linesToLive = early ? Number.POSITIVE_INFINITY : 1 + Math.floor(random() * 25);
  const kill = async (afterMs: number) => {
    await Bun.sleep(afterMs);
    child.kill("SIGKILL");
  };
  let killing = early ? kill(random() * 150) : undefined;
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
  // What is after the last line feed was not printed to the end, so it was not acknowledged.
  const complete = output.split("\n").slice(0, -1);
  return complete.map((line) => JSON.parse(line));
}

postgresSuite("kill", () => {
  test("[G2] [L1] processes are killed while they write: nothing acknowledged is lost, nobody holds what another holds", async () => {
    console.log(`postgres/kill.test.ts: FAULT_SEED=${seed}`);
    using place = await temporarySchema();
    const inbox = openInbox(place.url);
    for (const agent of slots) await inbox.call("pools.join", { agent, pool: "crew" });
    let killed = 0;
    const killInSlot = async (agent: string) => {
      const record: Acknowledged[] = [];
      while (killed++ < kills) record.push(...(await killWorker(place.url, agent)));
      return record;
    };
    const record = (await Promise.all(slots.map(killInSlot))).flat();
    console.log(`${kills} workers killed, ${record.length} writes acknowledged`);

    expect(record.length).toBeGreaterThan(kills);
    // Who waits for a lock of a killed one gets it: this is after all of them, on the same threads.
    await inbox.call("threads.claim", { agent: "worker-0" });
    using copy = await copied(place.url);
    expect(lost(copy.path, record)).toEqual([]);
    expect(doubled(copy.path)).toEqual([]);
    expect(overlapping(copy.path)).toEqual([]);
    expect(await flaws(place.url)).toEqual([]);
    await inbox.close();
  });
});
