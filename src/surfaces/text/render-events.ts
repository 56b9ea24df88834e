/** Events, a line each. */

import type { Event } from "../../contract/event.ts";
import { field, phrase } from "../../contract/phrase.ts";
import type { NounRenders } from "./noun-renders.ts";
import type { Paint } from "./paint.ts";
import { cut, safe } from "./safe.ts";
import { statusText } from "./status.ts";

function eventText(event: Event, paint: Paint): string {
  const status = event.status ? statusText(event.status, paint) : "";
  const parts = [
    paint.dim(String(event.eventId)),
    event.eventType,
    event.threadId ?? "",
    status,
    safe(event.source),
  ];
  return `${parts.filter(Boolean).join(" ")}  ${cut(event.summary, 60)}`.trimEnd();
}

export const eventRenders: NounRenders<"events"> = {
  "events.watch": ({ woke, events, nextEventId }, paint, spell) =>
    woke
      ? events.map((event) => eventText(event, paint)).join("\n")
      : spell(phrase`no events; continue with ${field("afterEvent", nextEventId)}`),
};
