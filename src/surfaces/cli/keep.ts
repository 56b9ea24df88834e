/**
 * `orch keep --db PLACE NUMBER`: not for people, a supervisor starts one for each task. So it loads nothing of the command
 * line, which would be a fifth of what it costs.
 */
import { asInboxError, errorTable, InboxError } from "../../contract/errors.ts";
import type { Door } from "../../hub.ts";
import { openBus } from "../../inbox/open-bus.ts";
import { brokerOf, locate, unmasked } from "../../location/locate.ts";
import { keep } from "../../orch/keeper.ts";
import { patiently, startMs } from "../../orch/retry.ts";
import { plainPaint } from "../text/paint.ts";
import { refusalText } from "../text/refusal.ts";

/** For whoever reads why a task failed. Loaded by those that fail: it knows every operation. */
const spelling = () => (require("../spelling/shell.ts") as typeof import("../spelling/shell.ts")).inShell();

/** Answers with the exit code; what goes wrong is said to standard error, which the supervisor has put into a file. */
export async function runKeeper([flag, place, task]: readonly string[]): Promise<number> {
  try {
    const { env } = process;
    const { INBOX_KEEP: token, INBOX_URL: url } = env;
    const number = Number(task);
    if (flag !== "--db" || !Number.isSafeInteger(number) || !token)
      throw new InboxError("invalid_input", "keep is started by a supervisor, for one task", {
        hint: "orch run starts what is queued",
      });
    const db = locate(unmasked({ db: place, env, cwd: process.cwd() }));
    const delivery = brokerOf(env);
    const { engine } = await patiently(async () => openBus(db, { delivery, frugal: true }), startMs);
    let door: Door | undefined;
    const serve = () => {
      // Loaded by those that need one: a keeper is started for each task.
      const { openDoor } = require("../../hub.ts") as typeof import("../../hub.ts");
      door ??= openDoor(db, delivery);
      return door.url;
    };
    try {
      await keep({ engine, db, delivery, number, token, url: url || null, serve, env, spelling });
    } finally {
      await door?.close();
      await engine.close();
    }
    return 0;
  } catch (error) {
    const refused = asInboxError(error).shape(spelling());
    console.error(refusalText(refused, plainPaint).trimEnd());
    return errorTable[refused.code].exit;
  }
}
