/** [T7] The holder ends a thread with a result. */
import type { Context } from "../../sql/procedure.ts";
import { type EndInput, endThread } from "../thread-end.ts";

export const threadsDone = (tx: Context, input: EndInput) => endThread(tx, { input, status: "done" });
