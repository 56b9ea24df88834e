/** Refusals of inputs that exclude or need each other. The hint is what makes the refusal go away ([C13]). */
import { InboxError } from "./errors.ts";
import { field, phrase, type Value } from "./phrase.ts";

/** Two fields that cannot be given together. */
export const onlyOneOf = (first: string, second: string) =>
  new InboxError("invalid_input", phrase`give only one of ${field(first)} and ${field(second)}`, {
    hint: phrase`leave out ${field(first)}, or leave out ${field(second)}`,
  });

/** A field that means nothing without another. */
export const requires = (given: string, missing: string, value?: Value) =>
  new InboxError("invalid_input", phrase`${field(given)} requires ${field(missing)}`, {
    hint: phrase`add ${field(missing, value)}, or leave out ${field(given)}`,
  });
