/** [B2] Waiting for mail, and for more within a window after the first message. */
import type { ParsedOf } from "../contract/operations/index.ts";
import type { Engine } from "../engines/engine.ts";
import type { Calling } from "./handed.ts";
import { takeMail } from "./take-mail.ts";

export const mailboxWait = (engine: Engine, input: ParsedOf<"mailbox.wait">, call: Calling) =>
  takeMail(engine, input, input, {
    timeoutSeconds: input.timeoutSeconds,
    windowSeconds: input.batchWindow,
    call,
  });
