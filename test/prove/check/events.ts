/** Everything that happened on the bus, as it was read at the end. */
import type { Fields, History, Op } from "./history.ts";

export interface BusEvent {
  eventId: number;
  eventType: string;
  threadId: string | null;
  source: string;
  messageId: string | null;
  summary: string;
  payload: Fields;
  createdAt: string;
}

/** With the call of the audit that read it. */
export function eventsIn({ ops }: History): { op: Op; event: BusEvent }[] {
  return ops
    .filter((op) => op.audit && op.op === "events.watch" && op.outcome === "ok")
    .flatMap((op) => op.value.events.map((event: BusEvent) => ({ op, event })));
}
