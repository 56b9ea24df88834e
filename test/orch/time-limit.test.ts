/** [Q6] How long a task may run, without waiting for it. */
import { expect, spyOn, test } from "bun:test";
import { timeLimit } from "../../src/orch/time-limit.ts";

test("[Q6] a timeout of 31 days, longer than a timer can be, does not end the task at once", () => {
  const timers: { ms: number; end(): void }[] = [];
  const timing = spyOn(globalThis, "setTimeout").mockImplementation(((end: () => void, ms: number) => {
    timers.push({ ms, end });
  }) as never);
  try {
    const ended: unknown[] = [];
    const day = 86_400_000;
    const guard = { end: (how: unknown) => ended.push(how) };
    const limit = timeLimit({ timeout_ms: 31 * day } as never, { runner: {} } as never, guard as never);
    limit.begin();
    timers.at(-1)!.end();
    expect(ended).toEqual([]);
    timers.at(-1)!.end();
    expect(ended).toMatchObject([{ reason: "timeout" }]);
    expect(timers.every(({ ms }) => ms < 2 ** 31)).toBe(true);
    expect(timers.slice(1).reduce((sum, { ms }) => sum + ms, 0)).toBe(31 * day);
  } finally {
    timing.mockRestore();
  }
});
