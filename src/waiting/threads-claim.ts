/** [L2] [L12] A claim, which may end the agent's last thread first; with `--wait` it blocks until there is something to claim. */

import { toldWithoutWork } from "../bus/held-threads.ts";
import { plainClaim } from "../bus/plain/claim.ts" with { load: "when-called" };
import { plainEndAndClaim } from "../bus/plain/end-and-claim.ts" with { load: "when-called" };
import {
  type ClaimInput,
  claimable,
  type Ended,
  endFirst,
  type Granted,
  grantedBefore,
  nothingFor,
  threadsClaim,
  withEnded,
} from "../bus/procedures/threads-claim.ts";
import type { End } from "../bus/thread-end.ts";
import { InboxError } from "../contract/errors.ts";
import type { ParsedOf } from "../contract/operations/index.ts";
import { phrase } from "../contract/phrase.ts";
import type { Engine, Work } from "../engines/engine.ts";
import { known, together } from "../sql/procedure.ts";
import { agentTopic } from "../sql/topics.ts";
import { noteOnce } from "./begin-note.ts";
import type { Calling } from "./handed.ts";
import { inMs, wait } from "./wait.ts";

type Input = ParsedOf<"threads.claim"> & { handOver?: string; collects?: boolean };

function claimOf({ agent, thread, leaseSeconds, leaseToken, wait, handOver, collects }: Input): ClaimInput {
  return { agent, thread, leaseSeconds, leaseToken, wait, handOver, collects };
}

/** [L12] The thread that is to be ended before, and its result. The token is that of this thread, not of the next one. */
function endOf({ agent, done, fail, summary, body, payload, artifacts, leaseToken }: Input): End | undefined {
  const thread = done ?? fail;
  if (thread === undefined) return undefined;
  const input = { agent, thread, summary, body, payload, artifacts, leaseToken };
  return { input, status: done === undefined ? "failed" : "done" };
}

/** With the id of the call, by which its answer can be found again if it was lost after the commit. */
function claim(engine: Engine, input: ClaimInput): Promise<Granted> {
  const named = { ...input, call: input.handOver ?? crypto.randomUUID() };
  return engine.write((tx) => threadsClaim(tx, named), {
    plain: () => plainClaim(named),
    *found() {
      const granted = yield* grantedBefore(named.agent, named.call);
      if (granted) return granted;
      throw new InboxError("storage", "the thread was claimed, and the answer was lost with the connection");
    },
  });
}

/**
 * Ends a thread and claims the next one; only the former if that is done, and the claim has yet to be tried. Step by step on a
 * server these are two transactions: one with both held the lock of a channel for all the steps of the claim, and 64
 * callers came to 160 a second instead of 850.
 */
function endAndClaim(engine: Engine, input: ClaimInput & { ends: End }): Promise<Granted | Ended> {
  const named = { ...input, call: input.handOver ?? crypto.randomUUID() };
  // Repeated with the id of the call it finds what the first one has done.
  const again: Work<Granted | Ended> = (tx) => threadsClaim(tx, { ...named, handOver: named.call });
  return engine.write<Granted | Ended>(
    (tx) => (tx.embedded ? threadsClaim(tx, named) : endFirst(tx, named)),
    {
      found: again,
      plain: (recall) => plainEndAndClaim(named, again, recall),
    },
  );
}

export async function claimOrWait(
  engine: Engine,
  asked: Input,
  call: Pick<Calling, "signal" | "noteAtBegin">,
): Promise<Granted> {
  const ends = endOf(asked);
  const input = claimOf(ends ? { ...asked, leaseToken: undefined } : asked);
  const goOn = () =>
    input.wait ? waitAndClaim(engine, input, asked.timeoutSeconds, call) : claim(engine, input);
  if (!ends) return goOn();
  const first = await endAndClaim(engine, { ...input, ends });
  const goOnAfter = async (ended: Ended) => withEnded(await goOn().catch(failAfter(ended)), ended);
  if (!("answer" in first)) return goOnAfter(first);
  const { thread, ended } = first.answer;
  if (!input.wait) return first;
  return thread ? { ...first, answer: { woke: true, ...first.answer } } : goOnAfter(ended!);
}

/** [L12.7] Whoever repeats the call need not know, and whoever does not must. */
const failAfter =
  ({ thread: { threadId } }: Ended) =>
  (error: unknown): never => {
    if (!(error instanceof InboxError)) throw error;
    const { code, said, details, cause } = error;
    throw new InboxError(code, phrase`${said.message}; ${threadId} was ended before that`, {
      hint: said.hint,
      details: { ...details, ended: threadId },
      cause,
    });
  };

const nothing = known<Granted | undefined>(undefined);

async function waitAndClaim(
  engine: Engine,
  input: ClaimInput,
  timeoutSeconds: number | undefined,
  call: Pick<Calling, "signal" | "noteAtBegin">,
): Promise<Granted> {
  const { agent, handOver } = input;
  let isNew = false;
  let isFirst = true;
  /** [B4] The first time also what this call was granted before: its answer may have been lost on the way. */
  const looked = () => {
    const before = isFirst ? handOver : undefined;
    isFirst = false;
    return engine.read((tx) =>
      together(claimable(tx, agent), before === undefined ? nothing : grantedBefore(agent, before)),
    );
  };
  const note = noteOnce(call, timeoutSeconds, () => engine.read((tx) => toldWithoutWork(tx, agent, isNew)));
  const beforeSleep = (joined: boolean) => {
    isNew = joined;
    return note();
  };
  // A read decides whether to try, so that a hundred waiters do not all queue for the write lock.
  const claimed = await wait<Granted>(
    engine,
    { topics: [agentTopic(agent)] },
    async () => {
      const [{ names, now, inMs }, before] = await looked();
      if (before) return { found: before };
      const granted = now ? await claim(engine, input) : undefined;
      if (granted?.answer.thread) return { found: granted };
      // If another agent was faster, its claim may not be visible yet.
      return { againInMs: now ? 5 : inMs, topics: names.map(agentTopic) };
    },
    { timeoutMs: inMs(timeoutSeconds), signal: call.signal, agent, beforeSleep },
  );
  if (claimed) return { ...claimed, answer: { woke: true, ...claimed.answer } };
  const { answer, fresh } = await engine.read((tx) => nothingFor(tx, agent, { tells: true, joined: isNew }));
  return { answer: { woke: false, ...answer }, fresh };
}
