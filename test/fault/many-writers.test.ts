/** Many processes at one database: SQLite has one lock, and nobody may lose by it. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { type Desk, desk, type Result } from "../support/cli.ts";
import { inFull } from "../support/in-full.ts";
import { counts, flaws, rows } from "../support/stored.ts";

/** Of each of 50 processes. */
const turns = inFull(2, 5);
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i));

/** Of everything that may go wrong under load only this is allowed: it was too crowded, nothing was written. */
function expectBusy(result: Result): void {
  expect(result.json.error?.code).toBe("busy");
  expect(result.code).toBe(50);
}

/** As anybody would: where it was too crowded, again. */
async function insist(bus: Desk, ...args: string[]): Promise<Result> {
  for (;;) {
    const result = await bus.inbox(...args);
    if (result.code !== 50) return result;
    expectBusy(result);
  }
}

async function sendThreads(bus: Desk, count: number): Promise<string[]> {
  const sent = await Promise.all(
    times(count, (i) => insist(bus, "send", "--from", "leader", "--to", "crew", "--subject", `work ${i}`)),
  );
  return sent.map((result) => result.json.thread.thread_id);
}

test("[S4] 50 processes write at once: every acknowledged write is there, once", async () => {
  using bus = await desk();
  const acknowledged = new Map<string, string>();
  const refused: string[] = [];
  const writer = async (who: number) => {
    for (let turn = 0; turn < turns; turn++) {
      const subject = `${who}-${turn}`;
      const sent = await bus.inbox("send", "--from", `writer-${who}`, "--to", "reader", "--subject", subject);
      expect(sent.stderr).toBe("");
      if (sent.code === 0) acknowledged.set(subject, sent.json.message.message_id);
      else {
        expectBusy(sent);
        refused.push(subject);
      }
    }
  };
  await Promise.all(times(50, writer));

  const stored = rows<{ message_id: number; subject: string; from_agent: string }>(
    bus.db,
    `select message_id, subject, from_agent from messages join threads using (thread_id) order by message_id`,
  );
  expect(stored).toHaveLength(acknowledged.size);
  for (const { message_id, subject, from_agent } of stored) {
    expect(acknowledged.get(subject)).toBe(`msg_${message_id}`);
    expect(from_agent).toBe(`writer-${subject.split("-")[0]}`);
  }
  expect(acknowledged.size + refused.length).toBe(50 * turns);
  expect(acknowledged.size).toBeGreaterThan(0);
  expect(flaws(bus.db)).toEqual([]);
});

test("[L1] of 20 processes that claim one thread exactly one gets it, the others are told the holder", async () => {
  using bus = await desk();
  const [thread] = await sendThreads(bus, 1);
  const claims = await Promise.all(
    times(20, (i) => insist(bus, "claim", "--agent", `claimer-${i}`, "--thread", thread!)),
  );
  const winners = claims.filter((claim) => claim.code === 0);
  expect(winners).toHaveLength(1);
  const { lease, thread: won } = winners[0]!.json;
  expect(lease).toEqual({
    token: expect.any(String),
    expires_at: expect.any(String),
    attempt: 1,
  });
  for (const lost of claims.filter((claim) => claim.code !== 0)) {
    expect(lost.code).toBe(20);
    expect(lost.json.error.code).toBe("lease_conflict");
    expect(lost.json.error.details).toEqual({
      thread_id: thread,
      holder: won.assigned_to,
      expires_at: lease.expires_at,
    });
    expect(lost.stdout).not.toContain(lease.token);
  }
  expect(rows(bus.db, "select agent_id, lease_token, attempt, released_at from leases")).toEqual([
    { agent_id: won.assigned_to, lease_token: lease.token, attempt: 1, released_at: null },
  ]);
  expect(rows(bus.db, "select 1 from events where event_type = 'thread.claimed'")).toHaveLength(1);
  expect(flaws(bus.db)).toEqual([]);
});

test("[L1] [L2] 10 workers share 40 threads without a double claim", async () => {
  using bus = await desk();
  const threads = await sendThreads(bus, 40);
  const workers = times(10, (i) => `worker-${i}`);
  for (const worker of workers)
    expect((await bus.inbox("pool", "join", "crew", "--agent", worker)).code).toBe(0);

  const taken: { thread: string; worker: string; token: string }[] = [];
  const work = async (worker: string) => {
    for (;;) {
      const claim = await insist(bus, "claim", "--agent", worker);
      if (claim.code === 10) return;
      expect(claim.code).toBe(0);
      taken.push({ thread: claim.json.thread.thread_id, worker, token: claim.json.lease.token });
    }
  };
  await Promise.all(workers.map(work));

  expect(taken.map((claim) => claim.thread).sort()).toEqual([...threads].sort());
  const held = rows<{ thread_id: number; agent_id: string; lease_token: string }>(
    bus.db,
    "select thread_id, agent_id, lease_token from leases where released_at is null",
  );
  const byThread = (a: { thread: string }, b: { thread: string }) => a.thread.localeCompare(b.thread);
  expect(
    held
      .map((row) => ({ thread: `thr_${row.thread_id}`, worker: row.agent_id, token: row.lease_token }))
      .sort(byThread),
  ).toEqual(taken.sort(byThread));
  expect(flaws(bus.db)).toEqual([]);
});

test("[C3] a lock that is never released: writers end with busy and have written nothing, readers continue", async () => {
  using bus = await desk();
  await sendThreads(bus, 1);
  const before = counts(bus.db);
  const holder = new Database(bus.db);
  try {
    holder.run("begin immediate");
    const writes = Promise.all([
      bus.inbox("send", "--from", "l", "--to", "w", "--subject", "s"),
      bus.inbox("claim", "--agent", "crew"),
      bus.inbox("done", "thr_1", "--agent", "crew"),
    ]);
    const listed = await bus.inbox("list");
    expect(listed.code).toBe(0);
    expect(listed.json.threads).toHaveLength(1);
    for (const result of await writes) expectBusy(result);
    holder.run("rollback");
  } finally {
    holder.close();
  }
  expect(counts(bus.db)).toEqual(before);
  expect((await bus.inbox("claim", "--agent", "crew")).code).toBe(0);
});
