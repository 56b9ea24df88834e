/** Something loaded from the hub, and loaded again whenever an event says that it may have changed. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Event } from "../../src/contract/event.ts";
import { problemOf } from "../data/api.ts";
import { coalesced } from "../data/coalesce.ts";
import { onEvent, onHealed } from "../data/live.ts";

export function useLive<T>(
  load: () => Promise<T>,
  concerns: (event: Event) => boolean,
  keys: readonly unknown[],
) {
  const value = useSignal<T | undefined>(undefined);
  const problem = useSignal<ReturnType<typeof problemOf> | undefined>(undefined);
  const again = useSignal<() => void>(() => {});
  useEffect(() => {
    let over = false;
    const run = coalesced(async () => {
      try {
        const found = await load();
        if (over) return;
        value.value = found;
        problem.value = undefined;
      } catch (error) {
        if (!over) problem.value = problemOf(error);
      }
    });
    value.value = undefined;
    again.value = () => void run();
    void run();
    const stops = [onEvent((event) => concerns(event) && void run()), onHealed(() => void run())];
    return () => {
      over = true;
      for (const stop of stops) stop();
    };
  }, keys);
  return { value: value.value, problem: problem.value, again: again.value };
}
