/** `kill -9` at random points of time, as power cuts and impatient people do; more often in `npm run prove -- kill`. */
import { afterAll, expect, test } from "bun:test";
import { desk, start } from "../support/cli.ts";
import { inFull } from "../support/in-full.ts";
import { randomOf } from "../support/random.ts";
import { flaws, rows } from "../support/stored.ts";
import { type Acknowledged, doubled, lost, overlapping } from "./kill-record.ts";
import { alive, completeLines, killAlive, killWorker } from "./kill-worker.ts";

const seed = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
const random = randomOf(seed);
console.log(`kill.test.ts: FAULT_SEED=${seed}`);

const slots = ["worker-0", "worker-1", "worker-2"];
const killsOfWorkers = inFull(40, 600);
const killsOfCommands = inFull(12, 120);
afterAll(killAlive);

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

test(
  "[S4] [L1] processes are killed while they write: nothing acknowledged is lost, and no thread has two holders",
  async () => {
    using bus = await desk();
    for (const agent of [...slots, "cli"])
      expect((await bus.inbox("pool", "join", "crew", "--agent", agent)).code).toBe(0);
    let killed = 0;
    let failed = false;
    const killInSlot = async (agent: string) => {
      const record: Acknowledged[] = [];
      while (killed < killsOfWorkers && !failed) {
        killed++;
        record.push(...(await killWorker(bus.db, agent, { random, startMs: 60 })));
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
  },
  inFull(60_000, 600_000),
);
