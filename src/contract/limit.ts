/** Limits among several, of which a call changes only those that are given. */
import * as v from "valibot";
import { described, quotedValue } from "./fields.ts";

/** The value that removes a limit. */
export const noLimit = "none";

/**
 * A limit among several, of which a call changes those that are given: null (which a client may have read) or the text
 * none removes it. `whole`: of things that are counted.
 */
export function limitToSet(help: string, { min, max, whole }: { min: number; max: number; whole: boolean }) {
  const fits = (given: unknown) =>
    given === null ||
    given === noLimit ||
    (typeof given === "number" &&
      (whole ? Number.isSafeInteger(given) : Number.isFinite(given)) &&
      given >= min &&
      given <= max);
  const form = `must be a ${whole ? "whole " : ""}number from ${min} to ${max}, or ${noLimit}`;
  return v.optional(
    described(
      v.pipe(
        v.custom<number | null | typeof noLimit>(fits, (issue) => `${form}, got ${quotedValue(issue.input)}`),
        v.transform((given) => (given === noLimit ? null : given)),
      ),
      {
        type: whole ? "integer" : "number",
        value: `N|${noLimit}`,
        help,
        minimum: min,
        maximum: max,
        also: [{ type: "null" }, { const: noLimit }],
      },
    ),
  );
}
