/** Times are ISO 8601 text in UTC, so sorting them as text sorts them by time. */
export function expiryAfter(from: string, seconds: number): string {
  if (last.from !== from || last.seconds !== seconds)
    last = { from, seconds, text: new Date(Date.parse(from) + seconds * 1000).toISOString() };
  return last.text;
}

/** The claims of one transaction mostly ask for the same. */
let last = { from: "", seconds: 0, text: "" };

export const earlierBy = (ms: number, now: string) => new Date(Date.parse(now) - ms).toISOString();

/** Whether a time lies within the last `ms` milliseconds. Every write asks this: it compares texts, which are parsed once for each `now`. */
export function isWithin(ms: number, at: string, now: string): boolean {
  const known = earliest.get(ms);
  if (known?.now === now) return at >= known.text;
  const text = earlierBy(ms, now);
  earliest.set(ms, { now, text });
  return at >= text;
}

/** By the length of the time. */
const earliest = new Map<number, { now: string; text: string }>();
