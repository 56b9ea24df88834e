/** `kill -9` of processes at work, as in test/fault/kill.test.ts, with the same workers and the same checks, on the server. */
import { afterAll, expect, test } from "bun:test";
import { openInbox } from "../../src/inbox/inbox.ts";
import { type Acknowledged, doubled, lost, overlapping } from "../fault/kill-record.ts";
import { killAlive, killWorker } from "../fault/kill-worker.ts";
import { inFull } from "../support/in-full.ts";
import { temporarySchema } from "../support/postgres.ts";
import { postgresSuite } from "../support/postgres-suite.ts";
import { randomOf } from "../support/random.ts";
import { copied, flaws } from "../support/stored-postgres.ts";

const seed = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
const random = randomOf(seed);
const slots = ["worker-0", "worker-1", "worker-2"];
const kills = inFull(15, 300);
afterAll(killAlive);

postgresSuite("kill", () => {
  test(
    "[G2] [L1] processes are killed while they write: nothing acknowledged is lost, and no thread has two holders",
    async () => {
      console.log(`postgres/kill.test.ts: FAULT_SEED=${seed}`);
      using place = await temporarySchema();
      const inbox = openInbox(place.url);
      for (const agent of slots) await inbox.call("pools.join", { agent, pool: "crew" });
      let killed = 0;
      const killInSlot = async (agent: string) => {
        const record: Acknowledged[] = [];
        while (killed++ < kills)
          record.push(...(await killWorker(place.url, agent, { random, startMs: 150 })));
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
    },
    inFull(60_000, 600_000),
  );
});
