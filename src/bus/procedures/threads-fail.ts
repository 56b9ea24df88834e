/** [T7] The holder ends a thread with a failure. */
import type { Context } from "../../sql/procedure.ts";
import { type EndInput, endThread } from "../thread-end.ts";

export const threadsFail = (tx: Context, input: EndInput) => endThread(tx, { input, status: "failed" });
