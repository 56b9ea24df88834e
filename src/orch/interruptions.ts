/** [A13] Messages that interrupt a task, between its guard, which learns of them, and the code that runs its program. */
import { takeInterrupts } from "../bus/tasks/interrupt.ts";
import type { Engine } from "../engines/engine.ts";
import { patiently } from "./retry.ts";
import type { Interruptions } from "./runners/runner.ts";

export function interruptionsOf(
  engine: Engine,
  { number, token }: { number: number; token: string },
): Interruptions & { heard(): void } {
  let pending = false;
  const listeners = new Set<() => void>();
  return {
    heard() {
      if (pending) return;
      pending = true;
      for (const call of listeners) call();
    },
    listen(call) {
      listeners.add(call);
      if (pending) call();
      return () => void listeners.delete(call);
    },
    async take() {
      if (!pending) return undefined;
      // Reset first: a message that arrives while this one is taken is another interruption.
      pending = false;
      return patiently(() => engine.write((tx) => takeInterrupts(tx, number, token)));
    },
  };
}
