/** Times are ISO 8601 text in UTC, so sorting them as text sorts them by time. */
export const expiryAfter = (from: string, seconds: number) =>
  new Date(Date.parse(from) + seconds * 1000).toISOString();
export const earlierBy = (ms: number, now: string) => new Date(Date.parse(now) - ms).toISOString();

/** Whether a time lies within the last `ms` milliseconds. Every write asks this: comparing with a text that is made for it takes twice as long. */
export const isWithin = (ms: number, at: string, now: string) => Date.parse(now) - Date.parse(at) <= ms;
