/** The tests of the Postgres engine's own promises: skipped, and loudly so, where there is no server. */
import { describe } from "bun:test";
import { postgresUrl } from "./postgres.ts";

export function postgresSuite(name: string, body: () => void): void {
  if (!postgresUrl) console.warn(`SKIPPED: ${name} on Postgres, for TEST_POSTGRES names no server`);
  describe.skipIf(!postgresUrl)(name, body);
}

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/**
 * What a promise came to, unless that takes longer: then the test fails with these words, not with its own timeout. Mostly 14 s:
 * a busy machine may take seconds, but nobody is to wait for the 15 s after which a silent server is given up.
 */
export async function within<T>(seconds: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${seconds} s`)), seconds * 1000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
