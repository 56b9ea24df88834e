/** [Q7] A process that finds work without a supervisor starts one. */
import { holdSupervision, leaveSupervision } from "../bus/tasks/supervision.ts";
import { supervisionNow } from "../bus/tasks/supervision-now.ts";
import { withoutPassword } from "../contract/secret.ts";
import type { Engine } from "../engines/engine.ts";
import { requireApproval } from "./approval.ts";
import { impersonal } from "./environment.ts";
import { hasDied } from "./holder.ts";
import { profilesVariable } from "./paths.ts";
import { startDetached } from "./program.ts";

export async function ensureSupervision(engine: Engine, db: string, delivery?: string): Promise<void> {
  if ((await engine.read((tx) => supervisionNow(tx, hasDied))) !== "wanted") return;
  requireApproval(db);
  // The lease is taken in the name of the new supervisor: of many processes that notice at once, one starts it.
  const holder = crypto.randomUUID();
  if (!(await engine.write((tx) => holdSupervision(tx, holder, { url: null, process: null, hasDied }))))
    return;
  try {
    startDetached(["supervise", "--db", withoutPassword(db)], {
      ...impersonal(process.env),
      INBOX_DB: db,
      INBOX_SUPERVISOR: holder,
      ...(delivery !== undefined && { INBOX_DELIVERY: delivery }),
      ...profilesVariable(process.env),
    });
  } catch (error) {
    await engine.write((tx) => leaveSupervision(tx, holder));
    throw error;
  }
}
