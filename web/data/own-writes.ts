/**
 * Writes to entries that this page has made. What it shows is newer than the events of them, which may come after the answers: an
 * entry that was deleted and brought back must not vanish when the hub tells of its deletion.
 */

interface Echo {
  eventType: string;
  /** Events that the same write makes before that one. */
  before?: readonly string[];
}

interface Underway {
  /** Writes that are not answered yet. */
  writes: number;
  /** The events that are still to come, oldest first. */
  echoes: readonly Echo[];
  /** Something else has happened to the entry meanwhile: it has to be asked for. */
  missed: boolean;
}

const underway = new Map<string, Underway>();
/** An event that has not come this long after the answer does not come: nothing had changed, or the line was lost. */
const echoMs = 3000;

let onMissed = () => {};
/** `load` is called when an event that was ignored here was not of one of our own writes. */
export function whenMissed(load: () => void): void {
  onMissed = load;
}

function underwayOf(id: string): Underway {
  const one = underway.get(id) ?? { writes: 0, echoes: [], missed: false };
  underway.set(id, one);
  return one;
}

function settle(id: string): void {
  const one = underway.get(id);
  if (!one || one.writes > 0 || one.echoes.length > 0) return;
  underway.delete(id);
  if (one.missed) onMissed();
}

/** The last write to each entry that is under way. */
const turns = new Map<string, Promise<unknown>>();

/** One after the other for one entry: an undo must not overtake what it undoes. */
export function inTurn(id: string, call: (id: string) => Promise<unknown>): Promise<unknown> {
  const write = () => call(id);
  underwayOf(id).writes++;
  const turn = (turns.get(id) ?? Promise.resolve()).then(write, write);
  turns.set(id, turn);
  const ended = () => {
    if (turns.get(id) === turn) turns.delete(id);
    underwayOf(id).writes--;
    settle(id);
  };
  turn.then(ended, ended);
  return turn;
}

function drop(id: string, echo: Echo): void {
  const one = underwayOf(id);
  one.echoes = one.echoes.filter((other) => other !== echo);
  settle(id);
}

/** A write to an entry, whose event is not to be taken for news. */
export async function echoed(id: string, echo: Echo, write: Promise<object>): Promise<void> {
  const one = underwayOf(id);
  one.echoes = [...one.echoes, echo];
  try {
    const answer = await write;
    if ("already" in answer && answer.already) drop(id, echo);
    else setTimeout(() => drop(id, echo), echoMs);
  } catch (error) {
    drop(id, echo);
    throw error;
  }
}

/** What these events tell of an entry, our own writes change too. */
const whatIsWritten = /^entry\.(un)?(read|archived|snoozed)$|^entry\.(deleted|restored)$|^entries\.read$/;

/** Whether the page shows something newer of the entry than the event tells. */
export function isOvertaken(id: string, eventType: string): boolean {
  const one = underway.get(id);
  if (!one || !whatIsWritten.test(eventType)) return false;
  const echo = one.echoes.find((each) => each.eventType === eventType);
  if (echo) drop(id, echo);
  else if (!one.echoes.some(({ before }) => before?.includes(eventType))) one.missed = true;
  return true;
}
