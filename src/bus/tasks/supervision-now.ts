/** [Q7] Every command asks this; most find that there is nothing to do, and need none of supervision.ts. */
import type { Context, Procedure } from "../../sql/procedure.ts";
import { openWork } from "../task-states.ts";
import { supervisorNow } from "./supervision.ts" with { load: "when-called" };
import type { HasDied } from "./supervision.ts";

/** Whether there is something to supervise, and whether a process does. */
export function* supervisionNow(
  tx: Context,
  hasDied: HasDied,
): Procedure<"nothing to do" | "held" | "wanted"> {
  if (!(yield* openWork())) return "nothing to do";
  return (yield* supervisorNow(tx, hasDied)) ? "held" : "wanted";
}
