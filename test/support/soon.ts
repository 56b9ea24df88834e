/** Time as the subject of a test: what must not wait for somebody who is away. */

/** How long it took, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

const tries = 5;

/**
 * Fails where each of several tries took at least so long. What waits for somebody who is away waits every time; a machine that
 * stands still does so for one of them.
 */
export async function soon(what: string, limitMs: number, attempt: () => Promise<number>): Promise<void> {
  const took: number[] = [];
  while (took.length < tries) {
    const ms = await attempt();
    if (ms < limitMs) return;
    took.push(Math.round(ms));
  }
  throw new Error(`${what}: took at least ${limitMs} ms each time (${took.join(", ")})`);
}
