/** The answer of an operation that writes to a thread. */
import * as v from "valibot";
import { message } from "./message.ts";
import { recipient } from "./recipient.ts";
import { thread } from "./thread.ts";
import { nextEventId } from "./waiting.ts";

export const posted = () =>
  v.strictObject({
    thread: thread(),
    message: message(),
    recipient: recipient(),
    nextEventId: nextEventId(),
  });
