/** What this process is doing, for the nap of one that only waits (nap.ts): whether anything is being done, and which timers are set. */

/** Due once. A nap does not delay it. */
export interface Alarm {
  /** When it is due, as `performance.now()` counts. */
  at: number;
  /** Where it is among those that are set; -1 if it is not. */
  place: number;
  ring(): void;
}

/**
 * Those that are set, as a heap: each is due no later than the two at twice its place. They share one timer of the runtime:
 * a timer each took 530 bytes of every open wait.
 */
const alarms: Alarm[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
let timerAt = Number.POSITIVE_INFINITY;
const longestMs = 2 ** 31 - 1;

export function setAlarm(alarm: Alarm, ms: number): void {
  cancelAlarm(alarm);
  alarm.at = performance.now() + Math.min(Math.max(0, ms), longestMs);
  rise(alarm, alarms.length);
  if (alarm.at < timerAt) startTimer();
}

export function cancelAlarm(alarm: Alarm): void {
  if (alarm.place < 0) return;
  const last = alarms.pop()!;
  if (last !== alarm) {
    rise(last, alarm.place);
    sink(last, last.place);
  }
  alarm.place = -1;
  // A timer that is early now finds out when it rings; but without an alarm it must not keep the process alive.
  if (!alarms.length) stopTimer();
}

/** The returned function cancels it. */
export function after(ms: number, ring: () => void): () => void {
  const alarm = { at: 0, place: -1, ring };
  setAlarm(alarm, ms);
  return () => cancelAlarm(alarm);
}

/** Does what those are for that are due, without the event loop. */
export function ringDue(): void {
  const now = performance.now();
  for (let first = alarms[0]; first && first.at <= now; first = alarms[0]) {
    cancelAlarm(first);
    first.ring();
  }
}

/** When the first of them is due, as `performance.now()` counts; infinity if there is none. */
export const nextAlarm = () => alarms[0]?.at ?? Number.POSITIVE_INFINITY;

function startTimer(): void {
  clearTimeout(timer);
  timerAt = nextAlarm();
  timer = setTimeout(onTimer, Math.ceil(Math.max(0, timerAt - performance.now())));
}

function stopTimer(): void {
  clearTimeout(timer);
  timer = undefined;
  timerAt = Number.POSITIVE_INFINITY;
}

function onTimer(): void {
  stopTimer();
  try {
    ringDue();
  } finally {
    if (alarms.length) startTimer();
  }
}

/** Puts it at a place, or further up. */
function rise(alarm: Alarm, place: number): void {
  while (place > 0) {
    const above = (place - 1) >> 1;
    if (alarms[above]!.at <= alarm.at) break;
    put(alarms[above]!, place);
    place = above;
  }
  put(alarm, place);
}

/** Puts it at a place, or further down. */
function sink(alarm: Alarm, place: number): void {
  for (;;) {
    let below = 2 * place + 1;
    if (below + 1 < alarms.length && alarms[below + 1]!.at < alarms[below]!.at) below++;
    if (below >= alarms.length || alarms[below]!.at >= alarm.at) break;
    put(alarms[below]!, place);
    place = below;
  }
  put(alarm, place);
}

function put(alarm: Alarm, place: number): void {
  alarms[place] = alarm;
  alarm.place = place;
}

let busy = 0;
let whenQuiet: (() => void) | undefined;

export const isQuiet = () => busy === 0;

/** From now on something is being done, until `endWork` is called as often. */
export function beginWork(): void {
  busy++;
}

export function endWork(): void {
  if (--busy === 0) whenQuiet?.();
}

/** From now until the returned function is called, something is being done. */
export function stayAwake(): () => void {
  beginWork();
  let over = false;
  return () => {
    if (over) return;
    over = true;
    endWork();
  };
}

/** Calls it whenever nothing is being done any more; undefined ends that. */
export function onQuiet(call: (() => void) | undefined): void {
  whenQuiet = call;
}
