/** A waiter that is told that something may have changed, whatever the source. */
import type { Subscription } from "./engine.ts";

export interface Bell {
  subscription: Subscription;
  /** Something may have changed. */
  ring(): void;
}

/** `failure` is thrown in the waiter, once there is one. */
export function bell(close: (ring: () => void) => void, failure: () => unknown = () => undefined): Bell {
  let dirty = false;
  let wakeUp: (() => void) | undefined;
  const ring = () => {
    dirty = true;
    wakeUp?.();
  };
  const next: Subscription["next"] = ({ atMost, signal }) =>
    new Promise((resolve, reject) => {
      let timer: Timer | undefined;
      const finish = () => {
        wakeUp = undefined;
        clearTimeout(timer);
        signal?.removeEventListener("abort", finish);
        dirty = false;
        const broken = failure();
        if (broken) reject(broken);
        else resolve();
      };
      if (dirty || failure() || signal?.aborted) return finish();
      wakeUp = finish;
      signal?.addEventListener("abort", finish);
      if (atMost !== undefined) timer = setTimeout(finish, Math.min(Math.max(0, atMost), 2 ** 31 - 1));
    });
  return { ring, subscription: { next, close: () => close(ring) } };
}
