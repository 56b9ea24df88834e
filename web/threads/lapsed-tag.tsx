/** [U15] A lease that has lapsed: its holder may be gone, and anybody may claim the thread. It lapses without an event. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Lease } from "../data/threads.ts";

/** A browser's timer holds no longer than this. */
const longestMs = 2 ** 31 - 1;

export function LapsedTag({ lease }: { lease: Lease | undefined }) {
  const passed = useSignal(0);
  const left = lease ? Date.parse(lease.expiresAt) - Date.now() : 0;
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(() => passed.value++, Math.min(longestMs, left + 50));
    return () => clearTimeout(timer);
  }, [lease?.expiresAt, passed]);
  void passed.value;
  if (!lease || (!lease.lapsed && left > 0)) return null;
  return (
    <span
      class="tag"
      data-tone="bad"
      title={`The lease of ${lease.agentId} has lapsed: anybody may claim it`}
    >
      lease lapsed
    </span>
  );
}
