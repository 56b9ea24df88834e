/** Times are ISO 8601 text in UTC, which sorts as it runs. */
export const expiryAfter = (from: string, seconds: number) =>
  new Date(Date.parse(from) + seconds * 1000).toISOString();
