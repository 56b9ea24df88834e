/** Plain HTTP requests, without any header of our own client's. */
import type { Fields } from "../check/history.ts";
import { brokenOf, refusalOf } from "./refusals.ts";
import type { Client, ClientOptions, Told } from "./surfaces.ts";

const routes: Record<string, string> = {
  "mailbox.send": "POST /api/mailbox/:to/send",
  "mailbox.receive": "POST /api/mailbox/:agent/receive",
  "mailbox.check": "POST /api/mailbox/:agent/check",
  "mailbox.wait": "POST /api/mailbox/:agent/wait",
  "mailbox.gather": "POST /api/mailbox/:agent/gather",
  "messages.send": "POST /api/messages",
  "messages.inbox": "POST /api/messages/inbox/:channel/read",
  "messages.ack": "POST /api/messages/:id/ack",
  "threads.send": "POST /api/threads",
  "threads.claim": "POST /api/threads/claim",
  "threads.renew": "POST /api/threads/:thread/renew",
  "threads.update": "POST /api/threads/:thread/update",
  "threads.done": "POST /api/threads/:thread/done",
  "threads.fail": "POST /api/threads/:thread/fail",
  "threads.release": "POST /api/threads/:thread/release",
  "events.watch": "GET /api/events/wait",
  "pools.join": "POST /api/pools/:pool/join",
  "tasks.push": "POST /api/tasks",
  "tasks.run": "POST /api/tasks/run",
};

/** Longer than any wait of the workload, and than a hub that is stopped for a while. */
const patienceMs = 20_000;

export function restSurface({ place, random }: ClientOptions): Client {
  return {
    full: true,
    async call(op, input, key) {
      const hub = place.hubs[Math.floor(random() * place.hubs.length)]!;
      const rest: Fields = { ...input };
      const [method, pattern] = (
        op === "threads.claim" && input.thread ? "POST /api/threads/:thread/claim" : routes[op]!
      ).split(" ") as [string, string];
      const path = pattern.replace(/:(\w+)/g, (_, name: string) => {
        const value = encodeURIComponent(String(rest[name]));
        delete rest[name];
        return value;
      });
      const query = method === "GET" ? `?${new URLSearchParams(rest)}` : "";
      const body = JSON.stringify({ ...rest, ...(key !== undefined && { idempotencyKey: key }) });
      try {
        const response = await fetch(hub + path + query, {
          method,
          signal: AbortSignal.timeout(patienceMs),
          ...(method !== "GET" && { headers: { "content-type": "application/json" }, body }),
        });
        return answerOf(response.ok, await response.text());
      } catch (error) {
        return brokenOf(error);
      }
    },
    close: async () => {},
  };
}

function answerOf(ok: boolean, text: string): Told {
  const value = JSON.parse(text);
  return ok ? { outcome: "ok", value } : refusalOf(value.error);
}
