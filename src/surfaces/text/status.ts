/** The status of a thread, in its colour. */
import type { Status } from "../../contract/thread.ts";
import type { Paint } from "./paint.ts";

export function statusText(status: Status, paint: Paint): string {
  const colour = {
    pending: paint.yellow,
    claimed: paint.cyan,
    in_progress: paint.cyan,
    blocked: paint.magenta,
    done: paint.green,
    failed: paint.red,
    cancelled: paint.dim,
  }[status];
  return colour(status);
}
