/** What the operations that block have in common. */
import * as v from "valibot";
import { integer, number } from "./fields.ts";

/** How long a wait may last; 31 days is longer than any program should hold its breath. */
export const timeoutSeconds = (help: string) => v.optional(number(help, { min: 0, max: 31 * 24 * 3600 }));

export const afterEvent = (help: string) =>
  v.optional(integer(help, { min: 0, max: Number.MAX_SAFE_INTEGER, value: "EVENT" }));
