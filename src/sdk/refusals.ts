/** [C14.5] Errors as the program that called reads them: spelled in calls of the SDK. */
import { hinted, InboxError } from "../contract/errors.ts";
import { fieldsOf } from "../contract/fields.ts";
import type { AnyOperation } from "../contract/operation.ts";
import { type Spelling, spelledWhole } from "../contract/phrase.ts";

/** What was thrown, for the caller of `op`; of what the bus did not refuse (an abort), the very same. */
export function asCalled(thrown: unknown, spelling: Spelling, op?: AnyOperation): unknown {
  if (!(thrown instanceof InboxError)) return thrown;
  const error = op && thrown.code === "invalid_input" ? hinted(thrown, fieldsIn(op)) : thrown;
  const { hint } = error.shape(spelling);
  const message = spelledWhole(error.said.message, spelling);
  const cause = error.cause instanceof InboxError ? asCalled(error.cause, spelling) : error.cause;
  return new InboxError(error.code, message, { hint, details: error.details, cause });
}

/** As the REST interface says it. */
function fieldsIn(op: AnyOperation): string {
  const fields = fieldsOf(op.input()).map(({ key, required }) => (required ? key : `${key}?`));
  return fields.length ? `the fields of ${op.name} are ${fields.join(", ")}` : `${op.name} has no fields`;
}

export const closedAlready = () =>
  new InboxError("invalid_state", "this Inbox was closed: close() had been called on it", {
    hint: "open another one with Inbox.open, or call close() after the last call",
  });

/** Where an Inbox is opened: what is not text names no place. */
export function requireLocation(location: unknown, example: string): asserts location is string {
  if (typeof location === "string" && location !== "") return;
  const given =
    location === undefined ? "is missing" : location === "" ? "is empty" : `is ${typeof location}, not text`;
  throw new InboxError(
    "invalid_input",
    `the location of the bus, the first argument of Inbox.open, ${given}`,
    {
      hint: `for example ${example}`,
    },
  );
}
