/** Answers, and what has to be done after they were sent. */
import { asInboxError, errorTable, InboxError } from "../../contract/errors.ts";
import { clientHeader } from "../../contract/headers.ts";
import type { Text } from "../../contract/phrase.ts";
import type { Handed } from "../../inbox/inbox.ts";
import { inRequests } from "../spelling/rest.ts";

const json = { "content-type": "application/json; charset=utf-8" };

export const plain = (value: unknown, status = 200) =>
  new Response(JSON.stringify(value), { status, headers: json });

/** [C14] Our own clients also get the references, to spell them for their own surface. */
export function refusal(error: unknown, request?: Request): Response {
  const { code, ...rest } = errorOf(asInboxError(error), request);
  return plain({ ok: false, error: { code, ...rest } }, errorTable[code].http);
}

export function errorOf(error: InboxError, request?: Request) {
  const shape = error.shape(inRequests);
  if (!request?.headers.has(clientHeader)) return shape;
  const partsOf = (text: Text) => (typeof text === "string" ? [text] : text.parts);
  return { ...shape, said: { message: partsOf(error.said.message), hint: partsOf(error.said.hint) } };
}

export const notFound = (request: Request) =>
  refusal(
    new InboxError("not_found", `there is no route ${request.method} ${new URL(request.url).pathname}`, {
      hint: "/docs/api lists the routes",
    }),
  );

/**
 * [B4] Whether the client has disconnected. Its last data and its disconnect may both wait in the kernel, for example
 * after a pause of this process: the runtime reads the data in one turn of its event loop and notices the disconnect
 * in the next.
 */
export async function hasGone(request: Request): Promise<boolean> {
  for (let turn = 0; turn < 2 && !request.signal.aborted; turn++)
    await new Promise((done) => setImmediate(done));
  return request.signal.aborted;
}

/**
 * [B4] An answer that collects. No server knows whether what it wrote was read; the closest is that the whole body
 * was taken from us and the request was not aborted. Our own client confirms the answer itself (hand-overs.ts).
 */
export function collecting(
  request: Request,
  handed: Handed<unknown>,
  value: unknown,
  track: (settled: Promise<void>) => void,
): Response {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  let settled: Promise<void> | undefined;
  let given = false;
  const settle = (taken: boolean) => {
    // If this fails, the mail is delivered again after its deadline; there is nobody left to tell.
    // A part of what was being written may have been read.
    settled ??= Promise.resolve(taken ? handed.confirm?.() : handed.release?.({ seen: given })).catch(
      () => {},
    );
    track(settled);
    return settled;
  };
  request.signal.addEventListener("abort", () => void settle(false));
  const body = new ReadableStream(
    {
      async pull(controller) {
        if (!given) {
          given = true;
          controller.enqueue(bytes);
          return;
        }
        // A client that has read the whole answer finds it collected. Mail was hidden when it was handed over, so the
        // answer need not wait.
        if (handed.receipt?.of !== "mail") await settle(!(await hasGone(request)));
        controller.close();
        track(hasGone(request).then((gone) => settle(!gone)));
      },
      cancel: () => void settle(false),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: json });
}

export function wrongMethod(
  method: string,
  allowed: readonly string[],
  hint: Text = `it supports ${allowed.join(", ")}`,
): Response {
  const error = new InboxError("invalid_input", `this route does not support ${method}`, { hint });
  const response = plain({ ok: false, error: errorOf(error) }, 405);
  response.headers.set("allow", allowed.join(", "));
  return response;
}
