/** Waiting for what gives no event: asks again and again. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { isPortable } from "../../src/platform/portable.ts";

/** Less than a test may take: its own timeout would not say what it waited for. */
const patienceMs = 120_000;

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
    const started = performance.now();
    for (;;) {
      const asked = performance.now();
      const found = await Promise.race([condition(), late.promise]);
      if (found) return found as NonNullable<T>;
      // A question that starts a program, or reads all of /proc, is not asked all the time: it would take the processor
      // from what is waited for.
      // What takes long is asked for less often: that costs a twentieth of the time it takes, at most.
      const now = performance.now();
      const pause = Math.max(2, 2 * (now - asked), Math.min(50, (now - started) / 20));
      await Promise.race([Bun.sleep(pause), late.promise]);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** A waiter prints nothing when it has begun to wait, but from then on it watches files, or looks at them again and again. */
export function untilWatching(child: { pid: number; exitCode: number | null }): Promise<boolean> {
  return until("the waiter watches files", () => {
    if (child.exitCode !== null) throw new Error(`exited with ${child.exitCode} instead of waiting`);
    const files = openFiles(child.pid);
    return isPortable() ? isPolling(child.pid, files) : files.some((target) => target.includes("inotify"));
  });
}

/** Without watches: it has the database open, its wake file is there, and it sleeps. */
function isPolling(pid: number, files: readonly string[]): boolean {
  const log = files.find((target) => target.endsWith("-wal"));
  const folder = log?.replace(/-wal$/, "-wake") ?? "";
  const waits = existsSync(folder) && readdirSync(folder).some((name) => /^([0-9a-f]{3}|all)$/.test(name));
  return waits && readFileSync(`/proc/${pid}/wchan`, "latin1").includes("epoll");
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
