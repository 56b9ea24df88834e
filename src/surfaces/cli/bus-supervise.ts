/** `orch supervise`: a process that outlives the command that started it, and exits when no tasks are left. */
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf } from "../../contract/operations/index.ts";
import { openBus } from "../../inbox/open-bus.ts";
import { type Asked, isHub, locate, unmasked } from "../../location/locate.ts";

export async function runSupervisor(
  asked: Asked,
  delivery: string | undefined,
): Promise<OutputOf<"bus.supervise">> {
  const db = locate(unmasked(asked));
  if (isHub(db))
    throw new InboxError("invalid_input", `supervise works on a database, but ${db} is a hub`, {
      hint: "the hub supervises by itself",
    });
  const { supervise } = require("../../orch/supervisor.ts") as typeof import("../../orch/supervisor.ts");
  const { brandSelf } =
    require("../../platform/processes/brand.ts") as typeof import("../../platform/processes/brand.ts");
  // A sub-agent's command may have started it: it does not belong to that task.
  brandSelf();
  const { engine } = openBus(db, { delivery });
  const over = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => over.abort());
  const holder = asked.env.INBOX_SUPERVISOR || crypto.randomUUID();
  try {
    return await supervise({
      engine,
      db,
      delivery,
      url: null,
      env: asked.env,
      holder,
      signal: over.signal,
      forever: false,
    });
  } finally {
    await engine.close();
  }
}
