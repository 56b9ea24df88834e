/** [O3] Measures the latencies that callers notice, for every route and tool. */
import type { BusOperation, EmbeddedInbox } from "../../inbox/inbox.ts";
import type { Metrics } from "./metrics.ts";

const sends = new Set<BusOperation>([
  "threads.send",
  "threads.reply",
  "mailbox.send",
  "mailbox.ask",
  "messages.send",
  "entries.push",
]);

/** Without `mailbox.wait` and `gather`, which wait for more on purpose. */
const wakes = new Set<BusOperation>([
  "threads.claim",
  "threads.waitReply",
  "mailbox.receive",
  "messages.wait",
  "events.watch",
]);

/** When the message or event that ended a wait was written, by the engine's clock; undefined if it timed out. */
function writtenAt(answer: unknown): number | undefined {
  const { messages, events } = answer as Partial<Record<"messages" | "events", { createdAt: string }[]>>;
  const first = [...(messages ?? []), ...(events ?? [])].map(({ createdAt }) => Date.parse(createdAt));
  return first.length ? Math.min(...first) : undefined;
}

export function measured(inbox: EmbeddedInbox, metrics: Metrics): EmbeddedInbox {
  const hand: EmbeddedInbox["hand"] = (name, input, options) =>
    sends.has(name) || wakes.has(name) ? timed(name, input, options) : inbox.hand(name, input, options);
  const timed: EmbeddedInbox["hand"] = async (name, input, options) => {
    const began = performance.now();
    const arrived = Date.now();
    const handed = await inbox.hand(name, input, options);
    if (sends.has(name)) metrics.feel("send", performance.now() - began);
    if (!wakes.has(name)) return handed;
    const written = writtenAt(handed.value);
    // A message that was there before the call did not wake it.
    if (written !== undefined && written > arrived) metrics.feel("wake", Date.now() - written);
    else if (name === "threads.claim" && written !== undefined)
      metrics.feel("claim", performance.now() - began);
    return handed;
  };
  return {
    ...inbox,
    hand,
    async call(name, input, options) {
      const { value, confirm } = await hand(name, input, options);
      await confirm?.();
      return value;
    },
  };
}
