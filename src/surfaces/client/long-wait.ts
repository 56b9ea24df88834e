/**
 * A wait of any length at a hub: as requests that no proxy minds, one after the other. A hub that goes away does not end
 * it: what its lost answer may have handed over is given back to the next hub that is there, and the wait goes on. A call
 * that hands something over and does not wait is a wait of one request.
 */
import { type BeginNote, type NoteAtBegin, saysAnything } from "../../contract/begin-note.ts";
import type { InboxError } from "../../contract/errors.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import { patienceOf } from "../../contract/waiting.ts";
import { Absence } from "./absence.ts";
import {
  isUnreachable,
  noAnswer,
  type Sent,
  send,
  settleOnce,
  tell,
  unanswered,
  type Wire,
  wasCutOff,
} from "./request.ts";

const sliceSeconds = 50;
/** A request that lasted at least this long was a wait, not a refusal; so was a shorter one whose hub went away. */
const begunMs = 500;
const pauseMs = 300;
/** How often a hub that is there, and whose answers do not arrive, is asked. */
const tries = 4;
/** For how long a hub that is away is asked to take a result. */
const resultMs = 1000;
/** A wait without an end does not outlive a hub that is gone for good. */
const awayMs = 5 * 60_000;

type Input = Record<string, unknown>;

interface Waiting {
  signal?: AbortSignal;
  noteAtBegin?: NoteAtBegin;
}

/** What only the first of its requests is told. */
interface Told {
  /** [M13] That a name was not used before: said if nothing came. */
  unknown: Pick<BeginNote, "unknown">;
  /** What it did before it began to wait (`waits.first`). */
  done: object;
}

interface Answered extends BeginNote {
  channel?: string;
  similar?: string[];
}

export async function patiently(
  wire: Wire,
  op: AnyOperation,
  asked: Input,
  { signal, noteAtBegin }: Waiting = {},
): Promise<Sent> {
  const patience = patienceOf(op, asked);
  const total = patience === null ? 0 : patience;
  const deadline = total === undefined ? Number.POSITIVE_INFINITY : performance.now() + total * 1000;
  const { after, goesOn } = op.waits ?? {};
  const over = op.waits?.over ?? ((value: unknown) => !op.nothing?.(value as never));
  let input = { ...asked };
  // A call that starts something, or counts from now on, is first sent without a wait; what that returns can be repeated.
  let anchored = !goesOn && (after === undefined || input[after] !== undefined);
  let begun = false;
  let answered = false;
  let lost = 0;
  let told: Told | undefined;
  for (;;) {
    const left = Math.max(0, (deadline - performance.now()) / 1000);
    if (patience !== null) input.timeoutSeconds = anchored ? Math.min(left, sliceSeconds) : 0;
    const id = crypto.randomUUID();
    const started = performance.now();
    try {
      const sent = await send(wire, op, input, { signal, id });
      begun = true;
      answered = true;
      lost = 0;
      // A hub that stops answers before the time is over.
      const ends = over(sent.value as never);
      if (ends || performance.now() >= deadline)
        return told
          ? { ...sent, value: { ...(ends ? {} : told.unknown), ...told.done, ...(sent.value as object) } }
          : sent;
      told ??= toldBy(op, sent.value, total === undefined ? noteAtBegin : undefined);
      if (sent.handOver) await tell(wire, "release", sent.handOver);
      input = next(op, input, sent.value);
      anchored = true;
    } catch (error) {
      const unsent = !answered && endsFirst(op, input);
      if (!isUnreachable(error)) {
        if (!unsent || (error as InboxError).code !== "busy" || ++lost >= tries) throw error;
        await rest(25 * 2 ** lost, signal);
        continue;
      }
      // Something may have been handed over all the same: others need not wait for its deadline.
      const giveBack = () => settleOnce(wire, "release", unanswered(op, input, id));
      const wasLong = performance.now() - started > begunMs;
      const isThere = wasSent(error) && (await answers(giveBack));
      const isWait = patience !== null && wasSent(error);
      begun ||= isWait && (wasLong || (!isThere && wasCutOff(error)));
      if (!anchored || !(begun || isThere || unsent)) throw error;
      if ((!begun || performance.now() >= deadline) && ++lost >= tries) throw noAnswer(wire.url, error);
      if (isThere) await rest(wasLong ? 0 : begun ? pauseMs : 25 * 2 ** lost, signal);
      else {
        const now = performance.now();
        const until = begun ? Math.min(deadline, now + awayMs) : now + resultMs;
        await untilBack(giveBack, { deadline: until, error, signal, onAway: wire.onAway });
      }
    }
  }
}

function toldBy({ waits }: AnyOperation, value: unknown, noteAtBegin: NoteAtBegin | undefined): Told {
  const { similar, channel, held, ...told } = value as Answered;
  const unknown =
    told.unknown ?? (similar && channel !== undefined ? [{ name: channel, similar }] : undefined);
  if (saysAnything({ unknown, held })) noteAtBegin?.({ unknown, held });
  const done = waits?.first && { [waits.first.answer]: (value as Input)[waits.first.answer] };
  return { unknown: told.unknown ? { unknown: told.unknown } : {}, done: done ?? {} };
}

/** [L12.6] It brings a result, for which it is worth to try again. */
const endsFirst = ({ waits }: AnyOperation, input: Input): boolean =>
  waits?.first?.by.some((field) => input[field] !== undefined) ?? false;

const wasSent = (error: unknown) => (error as InboxError).details?.sent !== false;

/** Whether anybody answers, whatever it says. */
const answers = (knock: () => Promise<void>): Promise<boolean> =>
  knock().then(
    () => true,
    (found) => !isUnreachable(found),
  );

async function rest(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise((done) => setTimeout(done, ms));
  signal?.throwIfAborted();
}

function next({ waits }: AnyOperation, input: Input, value: unknown): Input {
  const output = value as Input;
  if (waits!.goesOn) return waits!.goesOn(input, output as never);
  const rest = waits!.first ? without(input, waits!.first.fields) : input;
  return waits!.after ? { ...rest, [waits!.after]: output.nextEventId } : rest;
}

const without = (input: Input, fields: readonly string[]): Input =>
  Object.fromEntries(Object.entries(input).filter(([key]) => !fields.includes(key)));

interface Away {
  deadline: number;
  error: unknown;
  signal: AbortSignal | undefined;
  onAway?: () => void;
}

/** Until a hub answers again, with anything; throws `error` if none does in time. */
async function untilBack(
  knock: () => Promise<void>,
  { deadline, error, signal, onAway }: Away,
): Promise<void> {
  const absence = new Absence(onAway);
  for (;;) {
    signal?.throwIfAborted();
    if (await answers(knock)) return;
    if (performance.now() >= deadline) throw error;
    absence.goesOn();
    await rest(Math.min(pauseMs, Math.max(0, deadline - performance.now())), signal);
  }
}
