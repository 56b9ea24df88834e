/** [B1] Collecting waiting mail without blocking. */
import type { ParsedOf } from "../contract/operations/index.ts";
import type { Engine } from "../engines/engine.ts";
import type { Calling } from "./handed.ts";
import { takeMail } from "./take-mail.ts";

export const mailboxCheck = (engine: Engine, input: ParsedOf<"mailbox.check">, call: Calling) =>
  takeMail(engine, input, input, { timeoutSeconds: 0, call });
