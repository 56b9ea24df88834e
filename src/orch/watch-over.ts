/**
 * [Q7] Any call that meets work which nobody supervises starts supervision again; a call that blocks looks now and
 * then. One small read a call, and at most one a second. [X7] On a bus that is not trusted it says once why it does not.
 */
import { supervisionNow } from "../bus/tasks/supervision.ts";
import { InboxError } from "../contract/errors.ts";
import type { AnyOperation } from "../contract/operation.ts";
import { phrase, type Text } from "../contract/phrase.ts";
import type { Engine } from "../engines/engine.ts";
import { hasDied } from "./holder.ts";

/** With the lease's 15 seconds, and the time a supervisor takes to start, within 20. */
const everyMs = 3000;
/** Work that comes while nothing is to be done is seen before the lease of whoever began it can have run out. */
const idleMs = 12_000;
const restMs = 1000;
const restAfterFailureMs = 10_000;

export interface Watch {
  now(): Promise<void>;
  during<T>(op: AnyOperation, work: () => Promise<T>): Promise<T>;
}

export function watchOver(
  engine: Engine,
  db: string,
  {
    delivery,
    supervised,
    complain,
  }: { delivery?: string; supervised: boolean; complain?: (message: Text) => void },
): Watch {
  if (supervised) return { now: async () => {}, during: (_, work) => work() };
  let restUntil = Number.NEGATIVE_INFINITY;
  let idle = false;
  let told = false;

  async function now(): Promise<void> {
    restUntil = performance.now() + restMs;
    const found = await engine.read((tx) => supervisionNow(tx, hasDied));
    idle = found === "nothing to do";
    if (found !== "wanted") return;
    // Loaded by those that need it: no other command starts processes.
    const { ensureSupervision } =
      require("./ensure-supervision.ts") as typeof import("./ensure-supervision.ts");
    await ensureSupervision(engine, db, delivery);
  }

  /** Whoever only passes by is not to fail because of it: the next one tries again. */
  const inPassing = async () => {
    if (performance.now() < restUntil) return;
    await now().catch((error) => {
      restUntil = performance.now() + restAfterFailureMs;
      if (told || !(error instanceof InboxError) || error.details?.untrusted === undefined) return;
      told = true;
      complain?.(phrase`tasks are waiting, but ${error.said.message}; ${error.said.hint}`);
    });
  };

  async function during<T>(op: AnyOperation, work: () => Promise<T>): Promise<T> {
    if (op.kind !== "wait") {
      const answer = await work();
      await inPassing();
      return answer;
    }
    let timer: Timer | undefined;
    let over = false;
    const look = async (): Promise<void> => {
      await inPassing();
      if (!over) timer = setTimeout(() => void look(), idle ? idleMs : everyMs);
    };
    const looking = look();
    try {
      return await work();
    } finally {
      over = true;
      clearTimeout(timer);
      await looking;
    }
  }

  return { now, during };
}
