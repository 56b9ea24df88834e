/** Waiting for what gives no event: asks again and again, and ends with the test's own timeout at the latest. */
import { readdirSync, readlinkSync } from "node:fs";

export async function until<T>(condition: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const found = await condition();
    if (found) return found as NonNullable<T>;
    await Bun.sleep(2);
  }
}

/** A waiter prints nothing when it has begun to wait, but from then on it watches files. */
export function untilWatching(child: { pid: number; exitCode: number | null }): Promise<boolean> {
  return until(() => {
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
