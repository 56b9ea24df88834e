/** What the operations that block have in common. */
import * as v from "valibot";
import { InboxError } from "./errors.ts";
import { integer, number } from "./fields.ts";
import type { AnyOperation } from "./operation.ts";
import { field, phrase, type Text } from "./phrase.ts";

/** How an operation waits, by the names of its input fields and by its output. */
export interface Waits<Field extends string, Output> {
  when?: (input: Record<string, unknown>) => boolean;
  /** Whether an answer ends the wait before its time is over (by default, whenever something has matched). */
  over?: (output: Output) => boolean;
  /** If it starts from now: the field for the last event seen, to continue without a gap. */
  after?: Field;
  /**
   * What only its first request has, and the field of that request's answer that is part of the last one. `by`: with one of
   * these it brings something that must not be lost.
   */
  first?: { by: readonly Field[]; fields: readonly Field[]; answer: Extract<keyof Output, string> };
  /** If it starts something: the input of the next request, while there is no answer yet. */
  goesOn?: (input: Record<string, unknown>, output: Output) => Record<string, unknown>;
}

/** The maximum length of a wait; 31 days is longer than any program should wait. */
export const timeoutSeconds = (help: Text, { endless = true, ...flags }: TimeoutOptions = {}) =>
  v.optional(
    number(help, {
      min: 0,
      max: 31 * 24 * 3600,
      none: endless,
      unit: "seconds",
      ...(flags.flag ? flags : former),
    }),
  );

/** As the one wait calls it that also has a timeout of another kind (`tasks.handoff`). */
const former = { formerFlag: "wait-seconds" };

interface TimeoutOptions {
  endless?: boolean;
  flag?: string;
  formerFlag?: string;
}

/** [T14] Where to continue: after this event come events that the answer does not know yet. */
export const nextEventId = () => v.number();

export const afterEvent = (help: Text) =>
  v.optional(integer(help, { min: 0, max: Number.MAX_SAFE_INTEGER, value: "EVENT" }));

/** [W3] The default wait over HTTP; no proxy or client keeps a silent request open forever. */
const wireDefault = 50;
const wireLimit = 600;

/** Sets how long a call over HTTP waits; a longer time than allowed is refused. */
export function limitWait(op: AnyOperation, input: Record<string, unknown>): void {
  const asked = input.timeoutSeconds;
  if (typeof asked === "number" && asked > wireLimit)
    throw new InboxError(
      "invalid_input",
      `a wait over HTTP or MCP lasts at most ${wireLimit} seconds, asked were ${asked}`,
      {
        hint: phrase`give ${field("timeoutSeconds")} of at most ${wireLimit}, and call again: nothing is missed in between`,
      },
    );
  const patience = patienceOf(op, input);
  if (patience !== null) input.timeoutSeconds = patience ?? wireDefault;
}

/** How long a call may block, in seconds; undefined if without a limit; null if it does not block. */
export function patienceOf(op: AnyOperation, input: Record<string, unknown>): number | undefined | null {
  if (!op.waits || op.waits.when?.(input) === false) return null;
  return input.timeoutSeconds as number | undefined;
}
