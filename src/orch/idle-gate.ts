/** [Q12] `gate.idle`: runs when a worker of a pool has ended its last thread. If it refuses, the worker is told why. */
import { dirname } from "node:path";
import { refusalsOf, sendBackToWork, type Worked } from "../bus/tasks/worker-idle.ts";
import { asInboxError } from "../contract/errors.ts";
import { safe } from "../contract/safe-text.ts";
import { withoutPassword } from "../contract/secret.ts";
import { markName } from "./find-tree.ts";
import { askGate } from "./gate.ts";
import { inherited } from "./inherited.ts";
import { killLeft } from "./kill-tree.ts";
import { profilesFile } from "./paths.ts";
import type { Profile, Profiles } from "./profiles/profile.ts";
import type { Supervising } from "./supervisor.ts";

/** Refusals in a row. After that the worker may be idle, whatever the gate says. */
const refusalsAllowed = 3;
/** No task's timeout limits it, and a supervisor does not end while it runs. */
const limitMs = 10 * 60_000;

export interface IdleGates {
  /** Runs in the background: a gate may be slow, and other tasks must not wait for it. */
  ask(worked: readonly Worked[], profiles: Profiles): void;
  /** A gate is still running. */
  busy(): boolean;
}

/** `ring` is called when one has ended. */
export function idleGates(supervising: Supervising, ring: () => void): IdleGates {
  const asking = new Set<Promise<void>>();
  return {
    ask(worked, { all }) {
      for (const one of worked)
        for (const profile of all.values()) {
          if (profile.gateIdle === null) continue;
          const asked: Promise<void> = judge(supervising, one, profile)
            .catch((error) => console.error(safe(asInboxError(error).message)))
            .finally(() => {
              asking.delete(asked);
              ring();
            });
          asking.add(asked);
        }
    },
    busy: () => asking.size > 0,
  };
}

async function judge(
  { engine, db, env }: Supervising,
  worked: Worked,
  { name: pool, gateIdle, runner }: Profile,
) {
  const refusals = await engine.read((tx) => refusalsOf(tx, worked, pool));
  if (refusals === undefined || refusals >= refusalsAllowed) return;
  const mark = crypto.randomUUID();
  const verdict = await askGate(
    gateIdle!,
    { worker: worked.worker, pool, task: worked.task, refusals },
    {
      cwd: dirname(dirname(profilesFile(db, env))),
      env: { ...inherited(env, runner), ...runner.env, INBOX_DB: db, [markName]: mark },
      clear: () => killLeft({ mark, bus: withoutPassword(db) }),
      limitMs,
    },
  );
  if (!verdict.passed)
    await engine.write((tx) =>
      sendBackToWork(tx, worked, { pool, refusal: refusals + 1, feedback: verdict.feedback }),
    );
  else if (verdict.warning !== undefined) console.error(safe(verdict.warning));
}
