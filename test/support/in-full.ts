/**
 * How much of a campaign is run: a short form in every `npm test`, and all of it in `npm run prove -- NAME`, where NAME is the
 * test file's.
 */
export const isFull = process.env.TEST_IN_FULL === "1";

export const inFull = <T>(short: T, full: T): T => (isFull ? full : short);
