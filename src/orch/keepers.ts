/**
 * Gives each task that has begun a keeper, and sees those die that it has started. [Q17] A keeper that is through with its task
 * stays for a while and takes the next one: to start a program costs more than all else that a short task needs.
 */
import { dirname } from "node:path";
import { endTask } from "../bus/tasks/end.ts";
import { unstart } from "../bus/tasks/keep.ts";
import type { Started } from "../bus/tasks/start.ts";
import { withoutPassword, withoutTokens } from "../contract/secret.ts";
import { makeOwnFolder, openOwnNew } from "../platform/own-files.ts";
import { sleep } from "../platform/runtime.ts";
import { fs } from "../platform/system.ts";
import { impersonal } from "./environment.ts";
import { handedLine, reportsFrom } from "./keeper-line.ts";
import { profilesVariable, taskFolder, tasksFolder } from "./paths.ts";
import { type OnLine, startOnLine } from "./program.ts";
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
  /** Those that keep a task go on without us; the others end. */
  letGo(): void;
}

interface Keeper {
  program: OnLine;
  /** Its standard error. */
  complaints: string;
  /** Handed to it, the oldest first; an older one stays until the next is kept, as its end may not be told yet. */
  tasks: { token: string; over: boolean }[];
  /** How many it was handed. */
  count: number;
  /** Runs while it has nothing to do. */
  leaving?: Timer;
}

/** For as long as one that has nothing to do stays. */
const stayMs = 5000;
/** Whatever tasks leave in its memory goes with it. */
const tasksEach = 1000;
const complaintLimit = 2000;

export function startingKeepers(
  supervising: Supervising,
  { onDeath, onKept }: { onDeath(): void; onKept(): void },
): Keepers {
  const { engine } = supervising;
  const deaths = new Map<string, Death>();
  const all = new Set<Keeper>();
  const idle = idleKeepers();

  function started({ number }: Started): Keeper {
    const keeper: Keeper = { ...startKeeper(supervising, number), tasks: [], count: 0 };
    all.add(keeper);
    void keeper.program.exited.then(() => hasEnded(keeper));
    // One that cannot be heard any more is found dead, or silent, as any other.
    listen(keeper).catch(() => {});
    return keeper;
  }

  function hand(keeper: Keeper, { number, token }: Started): void {
    keeper.tasks.push({ token, over: false });
    keeper.count++;
    keeper.program.write(handedLine({ number, token }));
  }

  async function listen(keeper: Keeper): Promise<void> {
    for await (const { word, token } of reportsFrom(keeper.program.output)) {
      const at = keeper.tasks.findIndex((task) => task.token === token);
      if (at < 0) continue;
      if (word === "kept") {
        keeper.tasks.splice(0, at);
        onKept();
      } else {
        keeper.tasks[at]!.over = true;
        if (!all.has(keeper)) continue;
        if (keeper.count < tasksEach) idle.add(keeper);
        else keeper.program.end();
      }
    }
  }

  function hasEnded(keeper: Keeper): void {
    idle.remove(keeper);
    all.delete(keeper);
    const left = deathsOf(keeper);
    for (const [token, death] of left) deaths.set(token, death);
    if (left.length) onDeath();
  }

  return {
    async start(task) {
      // A keeper reports over its pipe that it is free, before its task counts as ended. After standing still, read the pipe first.
      if (idle.none() && all.size) await sleep(1);
      try {
        hand(idle.take() ?? started(task), task);
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
    isStarting: (token) => [...all].some(({ tasks }) => tasks.some((task) => task.token === token)),
    dead: () => new Map(deaths),
    clearedUp(these) {
      for (const token of these.keys()) deaths.delete(token);
    },
    letGo() {
      for (const keeper of all) {
        idle.remove(keeper);
        keeper.program.end();
      }
    },
  };
}

function startKeeper(
  { db, delivery, url, env, holder }: Supervising,
  number: number,
): Pick<Keeper, "program" | "complaints"> {
  const folder = taskFolder(tasksFolder(db, env), number);
  makeOwnFolder(dirname(folder));
  makeOwnFolder(folder);
  const complaints = `${folder}/keeper.log`;
  fs().closeSync(openOwnNew(complaints));
  const program = startOnLine(
    ["keep", "--db", withoutPassword(db)],
    {
      ...impersonal(env),
      INBOX_DB: db,
      INBOX_KEEP: holder,
      ...(delivery !== undefined && { INBOX_DELIVERY: delivery }),
      ...(url !== null && { INBOX_URL: url }),
      ...profilesVariable(env),
    },
    complaints,
  );
  return { program, complaints };
}

/** Those that have nothing to do. The one that was through last is taken first: those that are not needed leave. */
function idleKeepers() {
  const idle: Keeper[] = [];
  const remove = (keeper: Keeper) => {
    clearTimeout(keeper.leaving);
    const at = idle.indexOf(keeper);
    if (at >= 0) idle.splice(at, 1);
  };
  return {
    remove,
    none: () => idle.length === 0,
    add(keeper: Keeper): void {
      idle.push(keeper);
      keeper.leaving = setTimeout(() => {
        remove(keeper);
        keeper.program.end();
      }, stayMs);
      keeper.leaving.unref();
    },
    take(): Keeper | undefined {
      const keeper = idle.pop();
      clearTimeout(keeper?.leaving);
      return keeper;
    },
  };
}

/**
 * What a keeper that has ended leaves undone. What it complained about concerns the oldest; what it had not begun with is as if
 * it had not been handed over.
 */
function deathsOf({ program, complaints, tasks }: Keeper): [token: string, Death][] {
  const failed = program.exitCode !== 0;
  const complaint = failed && program.signalCode === null ? endOf(complaints) : undefined;
  const [oldest] = tasks;
  return tasks
    .filter(({ over }) => failed || !over)
    .map((task) => [task.token, task === oldest && complaint !== undefined ? { complaint } : {}]);
}

function endOf(file: string): string {
  try {
    return withoutTokens(fs().readFileSync(file, "utf8")).trim().slice(-complaintLimit).toWellFormed();
  } catch {
    return "";
  }
}
