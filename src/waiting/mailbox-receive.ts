/** [B1] Waiting for mail. */
import type { ParsedOf } from "../contract/operations/index.ts";
import type { Engine } from "../engines/engine.ts";
import type { Calling } from "./handed.ts";
import { takeMail } from "./take-mail.ts";

export const mailboxReceive = (engine: Engine, input: ParsedOf<"mailbox.receive">, call: Calling) =>
  takeMail(engine, input, input, { timeoutSeconds: input.timeoutSeconds, call });
