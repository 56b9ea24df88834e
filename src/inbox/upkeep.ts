/**
 * The maintenance of a hub: deleted entries are erased when they are due, old rows are deleted by retention, and the
 * journal and the search words are updated after writes of other processes. Without a hub the next write, `gc`, or
 * the next search does the same.
 */
import { eraseDue, nextErasure } from "../bus/entry.ts";
import { retentionRules } from "../bus/retention/rules.ts";
import { asInboxError } from "../contract/errors.ts";
import { phrase, type Text } from "../contract/phrase.ts";
import type { Engine } from "../engines/engine.ts";
import type { Journal } from "../journal/journal.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { entriesTopic, retentionTopic } from "../sql/topics.ts";
import type { TaskFiles } from "./retention-apply.ts";
import { catchUp } from "./search.ts";

const awayMs = 1000;

export interface Upkeep {
  engine: Engine;
  signal: AbortSignal;
  /** Called with the reason why a part of the maintenance fails, each time the reason changes. */
  complain?: (message: Text) => void;
}

/** Reports a failure of the maintenance. An unavailable database is reported by the calls that need it. */
export function failureTeller(work: string, { signal, complain }: Upkeep) {
  let told: string | undefined;
  return {
    worked: () => {
      told = undefined;
    },
    failed: (error: unknown) => {
      const { code, said, details } = asInboxError(error);
      if (signal.aborted || code === "busy" || details?.away || details?.missing) return;
      const reason = String(said.message);
      if (reason !== told) complain?.(phrase`${work} fails, and is tried again: ${said.message}`);
      told = reason;
    },
  };
}

export async function tendEntries(upkeep: Upkeep, journal: Journal | undefined): Promise<void> {
  const { engine, signal } = upkeep;
  const tell = failureTeller("the maintenance of the person's inbox", upkeep);
  const subscription = engine.subscribe([entriesTopic]);
  let repaired = false;
  try {
    while (!signal.aborted) {
      try {
        await (repaired ? journal?.sync() : journal?.repair());
        repaired = true;
        const dueInMs = await engine.read(untilErasure);
        if (dueInMs !== undefined && dueInMs <= 0)
          await engine.write(function* (tx) {
            return yield* eraseDue(tx, yield* tx.clock());
          });
        else await subscription.next({ atMost: dueInMs, signal });
        tell.worked();
      } catch (error) {
        tell.failed(error);
        await pause(awayMs, signal);
      }
    }
  } finally {
    subscription.close();
  }
}

const searchMs = 1000;
/** There are more writes than can be indexed: writers come first, and a search indexes the rest itself. */
const crowdedMs = 15_000;

/** Words are indexed with a delay, but so that a search does not find them far behind. */
export async function tendSearch(upkeep: Upkeep): Promise<void> {
  const { engine, signal } = upkeep;
  const tell = failureTeller("indexing words for the search", upkeep);
  let restMs = searchMs;
  while (!signal.aborted) {
    await pause(restMs, signal);
    if (signal.aborted) return;
    try {
      restMs = (await catchUp(engine, searchMs / 4)) ? searchMs : crowdedMs;
      tell.worked();
    } catch (error) {
      tell.failed(error);
      restMs = searchMs;
    }
  }
}

// Loaded by long-running processes only: a command does not need it.
const retention = () => require("./retention-apply.ts") as typeof import("./retention-apply.ts");
/** How often the hub looks for old data; it is deleted in short steps. */
const retentionMs = 10 * 60_000;
/** A limit that was set by mistake can be corrected before anything is deleted by it. */
const graceMs = 60_000;

/** [Y1] Applies the retention limits: some time after they were changed, and periodically. */
export async function tendRetention(upkeep: Upkeep, files: TaskFiles, grace = graceMs): Promise<void> {
  const { engine, signal } = upkeep;
  const tell = failureTeller("deleting old data by its retention limits", upkeep);
  const subscription = engine.subscribe([retentionTopic]);
  let known: string | undefined;
  let dueAt = 0;
  try {
    while (!signal.aborted) {
      try {
        const rules = JSON.stringify(await engine.read(retentionRules));
        if (rules !== known) dueAt = performance.now() + grace;
        known = rules;
        const waitMs = dueAt - performance.now();
        if (waitMs > 0) {
          await subscription.next({ atMost: waitMs, signal });
          continue;
        }
        await retention().applyRetention({ engine, files, dryRun: false, signal });
        await retention().reclaim(engine, signal);
        dueAt = performance.now() + retentionMs;
        tell.worked();
      } catch (error) {
        tell.failed(error);
        await pause(awayMs, signal);
      }
    }
  } finally {
    subscription.close();
  }
}

const schemaMs = 60_000;

/**
 * [S3.4] A newer program may migrate the database under a hub. Calls go on where nothing that they use has changed, and
 * the rest fails: the hub says what is the matter, once for each version.
 */
export async function tendSchema({ engine, signal, complain }: Upkeep, everyMs = schemaMs): Promise<void> {
  const known = engine.knownSchema;
  let told = known;
  while (!signal.aborted) {
    // An unavailable database is reported by the calls that need it.
    const found = await engine.storedSchema().catch(() => known);
    if (found > told) {
      told = found;
      complain?.(
        phrase`a newer version of inbox has migrated the database to schema version ${found}; this hub supports version ${known}. Retention and other work may fail until it is restarted with the newer program`,
      );
    }
    await pause(everyMs, signal);
  }
}

function* untilErasure(tx: Context): Procedure<number | undefined> {
  const at = yield* nextErasure();
  return at === undefined ? undefined : Date.parse(at) - Date.parse(yield* tx.clock());
}

export const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((done) => {
    if (signal.aborted) return done();
    const timer = setTimeout(end, ms);
    function end() {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      done();
    }
    signal.addEventListener("abort", end);
  });
