/**
 * `orch keep --db PLACE`: not for people, a supervisor starts it and hands it tasks, one at a time. It loads nothing of the
 * command line, which would be a fifth of what it costs.
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

/** For whoever reads why a task failed. Loaded by those that fail: it knows every operation. */
const spelling = () => (require("../spelling/shell.ts") as typeof import("../spelling/shell.ts")).inShell();

/** Answers with the exit code; what goes wrong is said to standard error, which the supervisor has put into a file. */
export async function runKeeper([flag, place, task]: readonly string[]): Promise<number> {
  try {
    const { env } = process;
    if (flag !== "--db" || !env.INBOX_KEEP) throw notForPeople();
    // A supervisor from before an upgrade starts one for each task, and has no line to it.
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

type Place = Pick<Keeping, "engine" | "db" | "delivery" | "url" | "env" | "spelling">;

/** Answers whether it may be handed another. */
async function keepOne(place: Place, { number, token }: Handed): Promise<boolean> {
  let door: Door | undefined;
  const serve = () => {
    // Loaded by those that need one: most tasks do without.
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
