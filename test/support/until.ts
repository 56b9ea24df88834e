/** Waiting for what gives no event: asks again and again. */
import { readdirSync, readlinkSync } from "node:fs";

/** Less than a test may take: its own timeout would not say what it waited for. */
const patienceMs = 40_000;

/** `what` is what has happened then: where it does not, the failure says so. */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  withinMs = patienceMs,
): Promise<NonNullable<T>> {
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  const error = new Error(`did not happen within ${withinMs / 1000} s: ${what}`);
  const timer = setTimeout(() => late.reject(error), withinMs);
  try {
    for (;;) {
      const asked = performance.now();
      const found = await Promise.race([condition(), late.promise]);
      if (found) return found as NonNullable<T>;
      // A question that starts a program, or reads all of /proc, is not asked all the time: it would take the processor
      // from what is waited for.
      const pause = Math.max(2, 2 * (performance.now() - asked));
      await Promise.race([Bun.sleep(pause), late.promise]);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** A waiter prints nothing when it has begun to wait, but from then on it watches files. */
export function untilWatching(child: { pid: number; exitCode: number | null }): Promise<boolean> {
  return until("the waiter watches files", () => {
    if (child.exitCode !== null) throw new Error(`exited with ${child.exitCode} instead of waiting`);
    return openFiles(child.pid).some((target) => target.includes("inotify"));
  });
}

function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).map((descriptor) => {
    try {
      return readlinkSync(`${folder}/${descriptor}`);
    } catch {
      return ""; // closed in between
    }
  });
}
