/** [U2] Routes that serve files: the entry says to which workspace they belong. */
import { documentStream } from "./document-stream.ts";
import { document, type Found, picture } from "./documents.ts";
import { openQuota, type Quota } from "./held-limit.ts";
import type { RoutedRequest } from "./request.ts";
import type { Peer, Route, RouteContext, Routes, Server } from "./route.ts";
import { streaming } from "./stays.ts";

type Show = (request: RoutedRequest, found: Found, server: Server, peer: Peer) => Response;

/** Each stream watches a few folders, and the system limits a user's watches, so streams have their own limit. */
export function documentRoutes({ inbox, stays, stopping }: RouteContext, limit: Quota): Routes {
  const watched = openQuota("watched entries", limit);
  const ofEntry = (counted: string, show: Show): Route => ({
    counted,
    handle: async (request, server, peer) => {
      const found = await inbox.entry(request.params.id!, peer);
      const confines = found.workspace ? { root: found.workspace.path, bus: inbox.files } : undefined;
      return show(request, { ...found, confines }, server, peer);
    },
  });
  const watch: Show = (request, found, server, peer) => {
    server.timeout(request, 0);
    return streaming(stays.begin(peer), ({ revoked, over }) => {
      const free = watched.take(peer);
      return documentStream(found, [request.signal, stopping, revoked], () => {
        free();
        over();
      });
    });
  };
  return {
    "GET /api/inbox/:id/docs/:n": ofEntry("entries.document", document),
    "HEAD /api/inbox/:id/docs/:n": ofEntry("entries.document", document),
    "GET /api/inbox/:id/files": ofEntry("entries.picture", picture),
    "HEAD /api/inbox/:id/files": ofEntry("entries.picture", picture),
    "GET /api/inbox/:id/docs/watch": ofEntry("entries.watch", watch),
  };
}
