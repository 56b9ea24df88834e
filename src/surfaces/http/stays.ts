/**
 * [X14] Open calls: long polls, streams, calls over MCP. Each is counted while it is open, and ends when its token is
 * revoked, by any process of the bus.
 */
import { InboxError } from "../../contract/errors.ts";
import type { EmbeddedInbox } from "../../inbox/inbox.ts";
import { openQuota, type Quota } from "./held-limit.ts";
import type { Peer } from "./route.ts";

export interface Stay {
  /** Aborted when the token was revoked, with the error. */
  revoked: AbortSignal;
  /** To be called when it has ended, for any reason. */
  over(): void;
}

export type Stays = ReturnType<typeof openStays>;

const againMs = 300;
const never = new AbortController().signal;

export function openStays(inbox: EmbeddedInbox, quota: Quota) {
  const waits = openQuota("open waits", quota);
  const byToken = new Map<string, Set<AbortController>>();
  let watching: AbortController | undefined;

  /** Whether the database could be read. */
  async function check(token: string): Promise<boolean> {
    try {
      if (await inbox.owner(token)) return true;
    } catch {
      return false; // the database is unavailable: the callers cannot be told anything either
    }
    const reason = new InboxError("unauthenticated", "the token was revoked");
    for (const stay of byToken.get(token) ?? []) stay.abort(reason);
    return true;
  }

  async function checkAll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const asked = await Promise.all([...byToken.keys()].map(check));
      if (!asked.includes(false)) return;
      await Bun.sleep(againMs);
    }
  }

  async function watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted)
      try {
        for await (const _ of inbox.revocations(signal)) await checkAll(signal);
      } catch {
        await Bun.sleep(againMs); // there are no wake-ups for now: the database is unavailable
      }
  }

  /** Ends with its token, and is not counted. */
  function hold({ token }: Peer): Stay {
    if (token === undefined) return { revoked: never, over: () => {} };
    const ending = new AbortController();
    byToken.set(token, (byToken.get(token) ?? new Set()).add(ending));
    if (!watching) {
      watching = new AbortController();
      void watch(watching.signal);
    }
    void check(token); // it may have been revoked since the request was accepted
    const over = () => {
      const stays = byToken.get(token);
      if (!stays?.delete(ending) || stays.size) return;
      byToken.delete(token);
      if (byToken.size) return;
      watching?.abort();
      watching = undefined;
    };
    return { revoked: ending.signal, over };
  }

  return {
    waiting: waits.total,
    hold,
    begin(peer: Peer): Stay {
      const free = waits.take(peer);
      const { revoked, over } = hold(peer);
      return {
        revoked,
        over: () => {
          free();
          over();
        },
      };
    },
  };
}

/** A stream counts as long as it is open: it reports its own end, unless it never started. */
export function streaming(stay: Stay, begin: (stay: Stay) => Response): Response {
  try {
    return begin(stay);
  } catch (error) {
    stay.over();
    throw error;
  }
}

/**
 * An answer that other code has made: its body ends when the token is revoked, and it counts until its body ends.
 * `greeting` is sent first: the runtime holds back the head of a response until there is something of its body.
 */
export function endingWith(response: Response, { revoked, over }: Stay, greeting?: string): Response {
  if (!response.body) {
    over();
    return response;
  }
  const reader = response.body.getReader();
  const finish = (controller: ReadableStreamDefaultController) => {
    over();
    try {
      controller.close();
    } catch {
      // Its reader closed it first.
    }
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const cut = () => {
        finish(controller);
        void reader.cancel().catch(() => {});
      };
      if (greeting !== undefined) controller.enqueue(new TextEncoder().encode(greeting));
      if (revoked.aborted) cut();
      else revoked.addEventListener("abort", cut);
    },
    async pull(controller) {
      try {
        const { value, done } = await reader.read();
        if (revoked.aborted) return;
        if (done) finish(controller);
        else controller.enqueue(value);
      } catch (error) {
        over();
        controller.error(error);
      }
    },
    async cancel(reason) {
      over();
      await reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
