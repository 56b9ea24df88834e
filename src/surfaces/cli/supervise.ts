/** `orch supervise`, and `orch keep`, which it starts for each task: processes that outlive the command that needed them. */
import { InboxError } from "../../contract/errors.ts";
import { withoutPassword } from "../../contract/secret.ts";
import { openInbox } from "../../inbox.ts";
import { type Asked, isHub, locate } from "../../location.ts";
import type { Scanned } from "./scan.ts";

/** What is shown in `ps` has no password in it: the real address comes by the environment. */
function addressOf(asked: Asked): string {
  const named = asked.env.INBOX_DB;
  if (named && asked.db === withoutPassword(named)) return locate({ ...asked, db: named });
  return locate(asked);
}

export async function runSupervisor(
  asked: Asked,
  delivery: string | undefined,
): Promise<{ started: number }> {
  const db = addressOf(asked);
  if (isHub(db))
    throw new InboxError("invalid_input", `supervise works on a database, and ${db} is a hub`, {
      hint: "the hub supervises by itself",
    });
  const { supervise } = require("../../orch/supervisor.ts") as typeof import("../../orch/supervisor.ts");
  const { brandSelf } = require("../../orch/system-calls.ts") as typeof import("../../orch/system-calls.ts");
  // A sub-agent's command may have started it: it is not that task's.
  brandSelf();
  const inbox = openInbox(db, { delivery, supervised: true });
  const over = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => over.abort());
  const holder = asked.env.INBOX_SUPERVISOR || crypto.randomUUID();
  try {
    const started = await supervise({
      engine: inbox.engine,
      db,
      delivery,
      url: null,
      env: asked.env,
      holder,
      signal: over.signal,
      forever: false,
    });
    return { started };
  } finally {
    await inbox.close();
  }
}

/** Not for people: it is started with a token, for one task. */
export async function runKeeper(
  asked: Asked,
  delivery: string | undefined,
  { plain }: Scanned,
): Promise<number> {
  const number = Number(plain[0]);
  const { INBOX_KEEP: token, INBOX_URL: url } = asked.env;
  if (!Number.isSafeInteger(number) || !token)
    throw new InboxError("invalid_input", "keep is started by a supervisor, for one task", {
      hint: "orch run starts what is queued",
    });
  const db = addressOf(asked);
  const { keep } = require("../../orch/keeper.ts") as typeof import("../../orch/keeper.ts");
  const inbox = openInbox(db, { delivery, supervised: true });
  try {
    await keep({ engine: inbox.engine, db, delivery, number, token, url: url || null, env: asked.env });
  } finally {
    await inbox.close();
  }
  return 0;
}
