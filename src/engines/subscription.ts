/** A waiter that is told that something may have changed, whatever the source. */
import { after, stayAwake } from "../platform/quiet.ts";
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
  let rest = stayAwake();
  const ring = () => {
    dirty = true;
    wakeUp?.();
  };
  const next: Subscription["next"] = ({ atMost, signal }) =>
    new Promise((resolve, reject) => {
      let cancel: (() => void) | undefined;
      const finish = () => {
        wakeUp = undefined;
        rest = stayAwake();
        cancel?.();
        signal?.removeEventListener("abort", finish);
        dirty = false;
        const broken = failure();
        if (broken) reject(broken);
        else resolve();
      };
      rest();
      if (dirty || failure() || signal?.aborted) return finish();
      wakeUp = finish;
      signal?.addEventListener("abort", finish);
      if (atMost !== undefined) cancel = after(Math.min(Math.max(0, atMost), 2 ** 31 - 1), finish);
    });
  return {
    ring,
    subscription: {
      next,
      close: () => {
        rest();
        close(ring);
      },
    },
  };
}
