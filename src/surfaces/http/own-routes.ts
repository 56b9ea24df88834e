/** The routes that are not operations: event streams, hand-overs, the hub's state, and its pages. */
import { asInboxError } from "../../contract/errors.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import { operationNamed } from "../../contract/operations/index.ts";
import { call, phrase } from "../../contract/phrase.ts";
import type { Stats } from "../../contract/stats.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { version } from "../../version.ts";
import { errorOf, plain, wrongMethod } from "./answer.ts";
import { eventStream, streamInput } from "./events.ts";
import { receiptIn } from "./hand-overs.ts";
import type { Metrics } from "./metrics.ts";
import {
  asset,
  assetPaths,
  diagramFrame,
  diagramPath,
  inboxPage,
  pagePaths,
  pageWorker,
  workerPath,
} from "./page-files.ts";
import { openApi, page } from "./pages.ts";
import { inputOf, jsonBody } from "./request.ts";
import type { Handle, Route, RouteContext, Routes } from "./route.ts";
import { seed } from "./seed.ts";
import { site } from "./site-files.ts";
import { streaming } from "./stays.ts";

export function eventRoutes({ inbox, stays, stopping }: RouteContext): Routes {
  const handle: Handle = async (request, server, peer) => {
    server.timeout(request, 0);
    const filter = inputOf(operationNamed("events.watch") as AnyOperation, request);
    const input = await streamInput(request, inbox, filter, peer);
    return streaming(stays.begin(peer), ({ revoked, over }) =>
      eventStream(inbox, input, { ends: [request.signal, stopping, revoked], over, caller: peer }),
    );
  };
  return { "GET /api/events": { counted: "events.stream", handle } };
}

/** `dev`: whether anybody may add entries to the person's inbox. */
export function seedRoutes({ inbox }: RouteContext, dev: boolean): Routes {
  const handle: Handle = async (request) => plain(await seed(inbox, await jsonBody(request)), 201);
  const refuse = async () =>
    wrongMethod("POST", [], phrase`only available with ${call("bus.serve", { dev: true })}`);
  return {
    "POST /api/inbox/seed": dev
      ? { counted: "entries.seed", handle }
      : { counted: "none", open: true, handle: refuse },
  };
}

export function handOverRoutes({ inbox }: RouteContext): Routes {
  const settle = (word: "confirm" | "release"): Route => ({
    counted: `hand-overs.${word}`,
    handle: async (request, _server, caller) => {
      return plain({
        ok: true,
        ...(await inbox.settle(word, receiptIn(await jsonBody(request), caller), caller)),
      });
    },
  });
  return {
    "POST /api/hand-overs/confirm": settle("confirm"),
    "POST /api/hand-overs/release": settle("release"),
  };
}

/** `about` describes the process that holds the port; undefined if strangers may ask: they learn only that it runs. */
export function stateRoutes(
  { inbox, stays }: RouteContext,
  metrics: Metrics,
  about: Record<string, unknown> | undefined,
): Routes {
  const here = about ? { ok: true, program: "restante", version, ...about } : { ok: true };
  return {
    "GET /healthz": { counted: "healthz", open: true, handle: async () => plain(here) },
    "GET /readyz": {
      counted: "readyz",
      open: true,
      handle: async () => {
        try {
          await inbox.hasTokens(); // the cheapest query that needs the database
          return plain({ ok: true });
        } catch (error) {
          return plain({ ok: false, ...(about && { error: errorOf(asInboxError(error)) }) }, 503);
        }
      },
    },
    "GET /metrics": {
      counted: "metrics",
      handle: async () => {
        const own = { waiters: stays.waiting(), residentBytes: process.memoryUsage.rss() };
        const text = metrics.text(own, await statsSoon(inbox));
        return new Response(text, { headers: { "content-type": "text/plain; version=0.0.4" } });
      },
    },
  };
}

const statsMs = 2000;

/** A scrape does not wait for a database that is unavailable. */
const statsSoon = (inbox: Inbox): Promise<Stats | undefined> =>
  Promise.race([
    inbox.call("stats.show", {}).catch(() => undefined),
    Bun.sleep(statsMs).then(() => undefined),
  ]);

const own = (counted: string, handle: Handle, visit?: Route["visit"]): Route => ({
  counted,
  handle,
  open: true,
  visit,
});

/** The pages are the same for everybody: their data is requested through the API by the person who looks. */
export const pageRoutes: Routes = {
  "GET /openapi.json": own("openapi", openApi),
  ...Object.fromEntries(pagePaths.map((path) => [`GET ${path}`, own("page", inboxPage, "link")])),
  [`GET ${diagramPath}`]: own("page", diagramFrame),
  [`GET ${workerPath}`]: own("page", pageWorker),
  [`GET ${assetPaths}`]: own("page", asset, "anybody"),
  "GET /docs": own("docs", site, "link"),
  "GET /docs/*": own("docs", site, "link"),
  "GET /docs/api": own("docs", page, "link"),
  "GET /docs/api.js": own("docs", page),
  "GET /docs/api.css": own("docs", page),
};
