/**
 * [Q7] The supervisor: starts what is due, gives each task a keeper, and clears up after keepers that died. It keeps nothing
 * in memory that the database does not have: it may be killed at any moment, and a second one is harmless.
 */
import { holdSupervision, leaveIfIdle, leaveSupervision } from "../bus/procedures/supervision.ts";
import { type Room, type Started, startDue } from "../bus/procedures/task-start.ts";
import { withoutPassword } from "../contract/secret.ts";
import type { Engine } from "../engines/engine.ts";
import { taskTopic, threadTopic } from "../sql/topics.ts";
import { fs } from "../system.ts";
import { impersonal } from "./environment.ts";
import { profilesFile, taskFolder, tasksFolder, thisHost } from "./place.ts";
import type { Profiles } from "./profile.ts";
import { loadProfiles } from "./profiles.ts";
import { startDetached } from "./program.ts";
import { recover } from "./recovery.ts";

export interface Supervising {
  engine: Engine;
  db: string;
  delivery?: string;
  /** The hub's own address, where a hub supervises. */
  url: string | null;
  env: Record<string, string | undefined>;
  /** By which it holds the lease; another one may have taken it in this name. */
  holder: string;
  signal: AbortSignal;
  /** Goes on when nothing is left to do, as a hub does. */
  forever: boolean;
}

/** Within the lease's 15 seconds, three times. */
const beatMs = 5000;

/** Answers with how many tasks it has started. */
export async function supervise(supervising: Supervising): Promise<number> {
  const { engine, holder, url, signal, forever } = supervising;
  let count = 0;
  let threads: readonly number[] = [];
  try {
    while (!signal.aborted) {
      const subscription = engine.subscribe([taskTopic, ...threads.map(threadTopic)]);
      try {
        const round = await once(supervising);
        if (round === "another" && !forever) return count;
        const begun = round === "another" || round === "away" ? undefined : round;
        count += begun?.started.length ?? 0;
        if (begun?.idle && !forever && (await engine.write((tx) => leaveIfIdle(tx, holder)))) return count;
        // A thread that was opened just now may have ended before anybody listened.
        if (begun && String(begun.dispatched) !== String(threads)) {
          threads = begun.dispatched;
          continue;
        }
        const atMost = Math.min(beatMs, begun?.againInMs ?? beatMs);
        await subscription.next({ atMost, signal }).catch(() => {});
      } finally {
        subscription.close();
      }
    }
    return count;
  } finally {
    await engine.write((tx) => leaveSupervision(tx, holder)).catch(() => {});
  }

  async function once(supervising: Supervising) {
    try {
      if (!(await engine.write((tx) => holdSupervision(tx, holder, url)))) return "another";
      await recover(engine, thisHost());
      const profiles = profilesNow(supervising);
      const begun = await engine.write((tx) => startDue(tx, thisHost(), roomFor(profiles)));
      for (const task of begun.started) startKeeper(supervising, task);
      return begun;
    } catch (error) {
      // The database is away: it is tried again. A lone supervisor has nobody to complain to but its own file.
      console.error(String((error as Error).message));
      return "away";
    }
  }
}

/** A mistake in the file is told by each task that would need it; scheduling goes on. */
function profilesNow({ db, env }: Supervising): Profiles {
  try {
    return loadProfiles(profilesFile(db, process.cwd(), env));
  } catch {
    return loadProfiles(undefined);
  }
}

function roomFor({ maxRunning, all }: Profiles): Room {
  const of = new Map<string, { shared: string; most: number }>();
  for (const [name, { runner }] of all)
    if (runner.concurrency !== null) of.set(name, { shared: runner.name, most: runner.concurrency });
  return { all: maxRunning, of };
}

function startKeeper({ db, delivery, url, env }: Supervising, { number, token }: Started): void {
  const folder = taskFolder(tasksFolder(db, env), number);
  fs().mkdirSync(folder, { recursive: true, mode: 0o700 });
  const profiles = profilesFile(db, process.cwd(), env);
  const words = ["keep", "--db", withoutPassword(db), String(number)];
  startDetached(
    words,
    {
      ...impersonal(env),
      INBOX_DB: db,
      INBOX_KEEP: token,
      ...(delivery !== undefined && { INBOX_DELIVERY: delivery }),
      ...(url !== null && { INBOX_URL: url }),
      ...(profiles !== undefined && { INBOX_PROFILES: profiles }),
    },
    `${folder}/keeper.log`,
  );
}
