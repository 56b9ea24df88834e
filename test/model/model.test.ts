/** Random sequences of commands from several agents, on the bus and on the oracle. A failure prints its seed. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { InboxError } from "../../src/contract/errors.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { type Bench, engines } from "../support/engines.ts";
import { inFull } from "../support/in-full.ts";
import { Oracle, type Outcome } from "./oracle.ts";

const agent = fc.constantFrom("a", "b", "c");
const anyone = fc.constantFrom("a", "b", "pool");
const thread = fc.nat(4);
const seconds = fc.constantFrom(5, 60);
const id = (n: number) => `thr_${n + 1}`;

interface Step {
  text: string;
  model(oracle: Oracle): Outcome;
  real(inbox: Inbox, bench: Bench): Promise<unknown>;
}

const step = (text: string, model: Step["model"], real: Step["real"]): Step => ({ text, model, real });

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(agent, anyone, fc.constantFrom("low", "normal", "high"), fc.constantFrom(2, 5))
    .map(([from, to, priority, maxAttempts]) =>
      step(
        `${from} sends to ${to}`,
        (o) => o.send(from, to, priority, maxAttempts),
        (inbox) => inbox.call("threads.send", { from, to, subject: "s", priority, maxAttempts }),
      ),
    ),
  fc.tuple(agent, thread, seconds).map(([who, n, leaseSeconds]) =>
    step(
      `${who} claims ${n}`,
      (o) => o.claim(who, n, leaseSeconds),
      (inbox) => inbox.call("threads.claim", { agent: who, thread: id(n), leaseSeconds }),
    ),
  ),
  fc.tuple(agent, seconds).map(([who, leaseSeconds]) =>
    step(
      `${who} claims the best`,
      (o) => o.claimBest(who, leaseSeconds),
      (inbox) => inbox.call("threads.claim", { agent: who, leaseSeconds }),
    ),
  ),
  fc.tuple(agent, thread, seconds).map(([who, n, leaseSeconds]) =>
    step(
      `${who} renews ${n}`,
      (o) => o.renew(who, n, leaseSeconds),
      (inbox) => inbox.call("threads.renew", { agent: who, thread: id(n), leaseSeconds }),
    ),
  ),
  fc.tuple(agent, thread, fc.constantFrom("in_progress", "blocked")).map(([who, n, status]) =>
    step(
      `${who} updates ${n} to ${status}`,
      (o) => o.update(who, n, status),
      (inbox) => inbox.call("threads.update", { agent: who, thread: id(n), status, summary: "u" }),
    ),
  ),
  fc.tuple(agent, thread, fc.constantFrom("x", "y")).map(([who, n, summary]) =>
    step(
      `${who} has done ${n}: ${summary}`,
      (o) => o.finish(who, n, "done", summary),
      (inbox) => inbox.call("threads.done", { agent: who, thread: id(n), summary }),
    ),
  ),
  fc.tuple(agent, thread, fc.constantFrom("x", "y")).map(([who, n, summary]) =>
    step(
      `${who} fails ${n}: ${summary}`,
      (o) => o.finish(who, n, "failed", summary),
      (inbox) => inbox.call("threads.fail", { agent: who, thread: id(n), summary }),
    ),
  ),
  fc.tuple(agent, thread).map(([who, n]) =>
    step(
      `${who} releases ${n}`,
      (o) => o.release(who, n),
      (inbox) => inbox.call("threads.release", { agent: who, thread: id(n) }),
    ),
  ),
  fc.tuple(agent, thread).map(([who, n]) =>
    step(
      `${who} cancels ${n}`,
      (o) => o.cancel(who, n),
      (inbox) => inbox.call("threads.cancel", { agent: who, thread: id(n) }),
    ),
  ),
  fc.tuple(agent, fc.boolean()).map(([who, joins]) =>
    step(
      `${who} ${joins ? "joins" : "leaves"} the pool`,
      (o) => (joins ? o.join(who, "pool") : o.leave(who, "pool")),
      (inbox) => inbox.call(joins ? "pools.join" : "pools.leave", { agent: who, pool: "pool" }),
    ),
  ),
  fc.constantFrom(3, 30, 90).map((time) =>
    step(
      `${time} s pass`,
      (o) => {
        o.now += time * 1000;
        return "ok";
      },
      async (_, bench) => bench.pass(time),
    ),
  ),
);

async function outcomeOf(call: Promise<unknown>): Promise<Outcome> {
  try {
    const answer = (await call) as { thread?: unknown } | undefined;
    return answer && "thread" in answer && answer.thread === null ? "nothing" : "ok";
  } catch (error) {
    if (error instanceof InboxError) return error.code;
    throw error;
  }
}

/** Both sides, in the same words. Late results add messages that the oracle does not count. */
async function compare(inbox: Inbox, oracle: Oracle): Promise<void> {
  for (const [n, t] of oracle.threads.entries()) {
    const shown = await inbox.call("threads.show", { thread: id(n) });
    const real = {
      status: shown.thread.status,
      assignee: shown.thread.assignedTo,
      holder: shown.lease?.agentId,
      attempt: shown.lease?.attempt,
      messages: shown.messages.filter(({ payload }) => !payload.late).length,
    };
    const held = t.holder === undefined ? undefined : t.attempt;
    expect({ n, ...real }).toEqual({
      n,
      status: t.status,
      assignee: t.assignee,
      holder: t.holder,
      attempt: held,
      messages: t.messages,
    });
  }
  for (const who of ["a", "b", "c"]) {
    const { threads } = await inbox.call("threads.fetch", { agent: who });
    expect(threads.map(({ threadId }) => threadId)).toEqual(
      oracle.candidates(who, ["pending", "blocked"]).map(id),
    );
  }
}

/** Other sequences every time: `npm run prove -- model` tries more, `npm run hunt -- test/model` as many as anybody has time for. */
const runs: Record<string, number> = inFull(
  { sqlite: 75, hub: 30, postgres: 30, rabbitmq: 20 },
  { sqlite: 1000, hub: 400, postgres: 400, rabbitmq: 200 },
);

describe.each(engines)("$name", ({ name, start }) => {
  test(
    "[L1] [T3] the bus does what the oracle does, whatever the agents try",
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 40, size: "max" }), async (sequence) => {
          await using bench = await start();
          // A lease of five seconds must not end because the machine stands still: time passes for both or for none.
          bench.freeze();
          const oracle = new Oracle();
          for (const { text, model, real } of sequence) {
            const wanted = model(oracle);
            expect(`${text}: ${await outcomeOf(real(bench.inbox, bench))}`).toBe(`${text}: ${wanted}`);
          }
          await compare(bench.inbox, oracle);
          const { events } = await bench.inbox.call("events.watch", {
            afterEvent: 0,
            limit: 1000,
            timeoutSeconds: 0.01,
          });
          // A transaction that was undone and run again leaves a gap in a server's numbers, and nothing else.
          const ids = events.map(({ eventId }) => eventId);
          expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
        }),
        // Where a server answers a run takes long: a busy machine makes fewer of them, and fails for no other reason.
        { numRuns: runs[name]!, verbose: 1, interruptAfterTimeLimit: inFull(40_000, 500_000) },
      );
    },
    inFull(60_000, 600_000),
  );
});
