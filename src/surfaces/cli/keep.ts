/**
 * `orch keep --db PLACE`: not for people; a supervisor starts it and gives it tasks, one at a time. It loads nothing
 * of the command line, which would be a fifth of its cost.
 */
import { asInboxError, errorTable } from "../../contract/errors.ts";
import type { Door } from "../../hub.ts";
import { openBus } from "../../inbox/open-bus.ts";
import { brokerOf, locate, unmasked } from "../../location/locate.ts";
import { type Keeping, keep } from "../../orch/keeper.ts";
import { type Handed, handedTasks, notForPeople, report } from "../../orch/keeper-line.ts";
import { patiently, startMs } from "../../orch/retry.ts";
import { plainPaint } from "../text/paint.ts";
import { refusalText } from "../text/refusal.ts";

/** Spells errors for the person who reads why a task failed. Loaded only on failure: it knows every operation. */
const spelling = () => (require("../spelling/shell.ts") as typeof import("../spelling/shell.ts")).inShell();

/** Returns the exit code; errors go to standard error, which the supervisor has redirected to a file. */
export async function runKeeper([flag, place, task]: readonly string[]): Promise<number> {
  try {
    const { env } = process;
    if (flag !== "--db" || !env.INBOX_KEEP) throw notForPeople();
    // A supervisor of an earlier version starts one keeper per task, without a connection to it.
    const only = task === undefined ? undefined : [{ number: Number(task), token: env.INBOX_KEEP }];
    const db = locate(unmasked({ db: place, env, cwd: process.cwd() }));
    const delivery = brokerOf(env);
    const { engine } = await patiently(async () => openBus(db, { delivery, frugal: true }), startMs);
    try {
      for await (const handed of only ?? handedTasks())
        if (!(await keepOne({ engine, db, delivery, url: env.INBOX_URL || null, env, spelling }, handed)))
          break;
    } finally {
      await engine.close();
    }
    return 0;
  } catch (error) {
    const refused = asInboxError(error).shape(spelling());
    console.error(refusalText(refused, plainPaint).trimEnd());
    return errorTable[refused.code].exit;
  }
}

type KeeperContext = Pick<Keeping, "engine" | "db" | "delivery" | "url" | "env" | "spelling">;

/** Returns whether it may take another task. */
async function keepOne(place: KeeperContext, { number, token }: Handed): Promise<boolean> {
  let door: Door | undefined;
  const serve = () => {
    // Loaded only when needed: most tasks do not need it.
    const { openDoor } = require("../../hub.ts") as typeof import("../../hub.ts");
    door ??= openDoor(place.db, place.delivery);
    return door.url;
  };
  try {
    return await keep({
      ...{ ...place, number, token, serve },
      onKept: () => report("kept", token),
      onOver: () => report("over", token),
    });
  } finally {
    await door?.close();
  }
}
