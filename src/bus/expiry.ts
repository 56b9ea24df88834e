/** Times are ISO 8601 text in UTC, so sorting them as text sorts them by time. */
export const expiryAfter = (from: string, seconds: number) =>
  new Date(Date.parse(from) + seconds * 1000).toISOString();
