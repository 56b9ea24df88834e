/**
 * [X14] Open calls: long polls, streams, calls over MCP. Each is counted while it is open, and ends when its token is
 * revoked, by any process of the bus.
 */
import { InboxError } from "../../contract/errors.ts";
import type { EmbeddedInbox } from "../../inbox/inbox.ts";
import { openQuota, type Quota } from "./held-limit.ts";
import { OpenWait } from "./open-wait.ts";
import type { Peer } from "./route.ts";

export interface Stay {
  /** Aborted when the token was revoked, with the error. */
  revoked: AbortSignal;
  /** To be called when it has ended, for any reason. */
  over(): void;
}

export type Stays = ReturnType<typeof openStays>;

/** Something open that is ended with its token. */
interface OfToken {
  abort(reason: InboxError): void;
}

const againMs = 300;
const never = new AbortController().signal;

/** Ends what is open with a token once it is revoked, by whichever process. */
function revoking(inbox: EmbeddedInbox) {
  const byToken = new Map<string, Set<OfToken>>();
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

  return {
    enter(token: string, stay: OfToken): void {
      byToken.set(token, (byToken.get(token) ?? new Set()).add(stay));
      if (!watching) {
        watching = new AbortController();
        void watch(watching.signal);
      }
      void check(token); // it may have been revoked since the request was accepted
    },
    leave(token: string, stay: OfToken): void {
      const stays = byToken.get(token);
      if (!stays?.delete(stay) || stays.size) return;
      byToken.delete(token);
      if (byToken.size) return;
      watching?.abort();
      watching = undefined;
    },
  };
}

export function openStays(inbox: EmbeddedInbox, quota: Quota, stopping: AbortSignal) {
  const waits = openQuota("open waits", quota);
  const tokens = revoking(inbox);
  const open = new Set<OpenWait>();
  stopping.addEventListener("abort", () => {
    for (const wait of open) wait.answer();
  });

  /** Ends with its token, and is not counted. */
  function hold({ token }: Peer): Stay {
    if (token === undefined) return { revoked: never, over: () => {} };
    const ending = new AbortController();
    tokens.enter(token, ending);
    return { revoked: ending.signal, over: () => tokens.leave(token, ending) };
  }

  function leave(wait: OpenWait): void {
    const { counts, peer } = wait;
    if (!open.delete(wait)) return;
    if (counts) waits.free(peer);
    if (peer.token !== undefined) tokens.leave(peer.token, wait);
  }

  return {
    waiting: waits.total,
    hold,
    /** `counts`: what only may wait is answered at once, so a result is not refused because many others wait. */
    wait(request: Request, peer: Peer, counts: boolean): OpenWait {
      if (counts) waits.count(peer);
      const wait = new OpenWait(request, peer, leave, counts);
      open.add(wait);
      if (stopping.aborted) wait.answer();
      if (peer.token !== undefined) tokens.enter(peer.token, wait);
      return wait;
    },
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
