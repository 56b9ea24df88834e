/** Starts a keeper for each task that has begun, and sees those die that it has started. */
import { dirname } from "node:path";
import { endTask } from "../bus/tasks/end.ts";
import { unstart } from "../bus/tasks/keep.ts";
import type { Started } from "../bus/tasks/start.ts";
import { withoutPassword, withoutTokens } from "../contract/secret.ts";
import { makeOwnFolder, openOwnNew } from "../platform/own-files.ts";
import { fs } from "../platform/system.ts";
import { impersonal } from "./environment.ts";
import { profilesVariable, taskFolder, tasksFolder } from "./paths.ts";
import { startDetached } from "./program.ts";
import type { Death } from "./recovery.ts";
import { shortages } from "./spawn.ts";
import type { Supervising } from "./supervisor.ts";

export interface Keepers {
  start(task: Started): Promise<void>;
  /** By token: those that ended otherwise than by having done their work, and were not yet cleared up after. */
  dead(): ReadonlyMap<string, Death>;
  /** Its process lives; it may not have got through to the bus yet. */
  isStarting(token: string): boolean;
  clearedUp(deaths: ReadonlyMap<string, Death>): void;
}

const complaintLimit = 2000;

/** `ring` is called when one has died. */
export function startingKeepers({ engine, db, delivery, url, env }: Supervising, ring: () => void): Keepers {
  const deaths = new Map<string, Death>();
  const alive = new Set<string>();

  function startKeeper({ number, token }: Started): void {
    const folder = taskFolder(tasksFolder(db, env), number);
    makeOwnFolder(dirname(folder));
    makeOwnFolder(folder);
    const words = ["keep", "--db", withoutPassword(db), String(number)];
    const complaints = `${folder}/keeper.log`;
    fs().closeSync(openOwnNew(complaints));
    const keeper = startDetached(
      words,
      {
        ...impersonal(env),
        INBOX_DB: db,
        INBOX_KEEP: token,
        ...(delivery !== undefined && { INBOX_DELIVERY: delivery }),
        ...(url !== null && { INBOX_URL: url }),
        ...profilesVariable(env),
      },
      complaints,
    );
    alive.add(token);
    void keeper.exited.then(() => {
      alive.delete(token);
      if (keeper.exitCode === 0) return;
      deaths.set(token, keeper.signalCode === null ? { complaint: endOf(complaints) } : {});
      ring();
    });
  }

  return {
    async start(task) {
      try {
        startKeeper(task);
      } catch (error) {
        // [Q16] The machine has no room for another process now: as if it had not been tried.
        if (shortages.includes((error as { code?: string }).code ?? ""))
          return engine.write((tx) => unstart(tx, task.number, task.token));
        const why = `its keeper process could not be started: ${(error as Error).message}`;
        await engine.write((tx) =>
          endTask(tx, task.number, task.token, { success: false, error: why, reason: "refused" }),
        );
      }
    },
    isStarting: (token) => alive.has(token),
    dead: () => new Map(deaths),
    clearedUp(these) {
      for (const token of these.keys()) deaths.delete(token);
    },
  };
}

function endOf(file: string): string {
  try {
    return withoutTokens(fs().readFileSync(file, "utf8")).trim().slice(-complaintLimit).toWellFormed();
  } catch {
    return "";
  }
}
