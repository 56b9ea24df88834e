/** Times are ISO 8601 text in UTC, so sorting them as text sorts them by time. */
export const expiryAfter = (from: string, seconds: number) =>
  new Date(Date.parse(from) + seconds * 1000).toISOString();
export const earlierBy = (ms: number, now: string) => new Date(Date.parse(now) - ms).toISOString();

/** Whether a time lies within the last `ms` milliseconds. Every write asks this, mostly about the same times: they are parsed once. */
export function isWithin(ms: number, at: string, now: string): boolean {
  if (now !== lastNow.text) lastNow = parsed(now);
  if (at !== lastAt.text) lastAt = parsed(at);
  return lastNow.ms - lastAt.ms <= ms;
}

const parsed = (text: string) => ({ text, ms: Date.parse(text) });
let lastNow = parsed("");
let lastAt = parsed("");
