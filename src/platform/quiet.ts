/** What this process is doing, for the nap of one that only waits (nap.ts): whether anything is being done, and which timers are set. */

interface Alarm {
  at: number;
  ring(): void;
}

const alarms = new Set<Alarm>();

/** A timer that a nap does not delay. The returned function cancels it. */
export function after(ms: number, ring: () => void): () => void {
  const cancel = () => {
    alarms.delete(alarm);
    clearTimeout(timer);
  };
  const alarm: Alarm = {
    at: performance.now() + ms,
    ring() {
      cancel();
      ring();
    },
  };
  const timer = setTimeout(alarm.ring, ms);
  alarms.add(alarm);
  return cancel;
}

/** Does what those are for that are due, without the event loop. */
export function ringDue(): void {
  const now = performance.now();
  for (const alarm of alarms) if (alarm.at <= now) alarm.ring();
}

/** When the first of them is due, as `performance.now()` counts; infinity if there is none. */
export function nextAlarm(): number {
  let next = Number.POSITIVE_INFINITY;
  for (const { at } of alarms) if (at < next) next = at;
  return next;
}

let busy = 0;
let whenQuiet: (() => void) | undefined;

export const isQuiet = () => busy === 0;

/** From now until the returned function is called, something is being done. */
export function stayAwake(): () => void {
  busy++;
  let over = false;
  return () => {
    if (over) return;
    over = true;
    if (--busy === 0) whenQuiet?.();
  };
}

/** Calls it whenever nothing is being done any more; undefined ends that. */
export function onQuiet(call: (() => void) | undefined): void {
  whenQuiet = call;
}
