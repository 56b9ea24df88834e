/**
 * Gives a keeper to each task that was started, and notices when one of its keepers dies. [Q17] A keeper whose task
 * has ended stays for a while and takes the next one: starting a program costs more than everything else a short task
 * needs.
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
  /** By token: keepers that died instead of finishing their work, and whose tasks were not recovered yet. */
  dead(): ReadonlyMap<string, Death>;
  /** Its process is alive; it may not have reached the bus yet. */
  isStarting(token: string): boolean;
  clearedUp(deaths: ReadonlyMap<string, Death>): void;
  /** Keepers with a task continue without us; the others end. */
  letGo(): void;
}

interface Keeper {
  program: OnLine;
  /** Its standard error. */
  complaints: string;
  /**
   * The tasks it was given, oldest first. A task is kept in this list until the next one is kept, as its end may not
   * be reported yet.
   */
  tasks: { token: string; over: boolean }[];
  /** How many tasks it was given. */
  count: number;
  /** The timer that ends it when it has nothing to do. */
  leaving?: Timer;
}

/** How long a keeper without a task stays. */
const stayMs = 5000;
/** After this many tasks it ends, and with it whatever they have left in its memory. */
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
    // A keeper that cannot be reached any more is found dead, or silent, like any other.
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
      // A keeper reports over its pipe that it is free, before its task counts as ended. If this process was
      // suspended, read the pipe first.
      if (idle.none() && all.size) await sleep(1);
      try {
        hand(idle.take() ?? started(task), task);
      } catch (error) {
        // [Q16] The machine has no room for another process now: handled as if it had not been tried.
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

/** Keepers without a task. The one that became free last is taken first, so that those that are not needed can end. */
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
 * What a keeper that has died leaves undone. Its error message is about the oldest task; tasks that it had not
 * started are handled as if they had not been given to it.
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
