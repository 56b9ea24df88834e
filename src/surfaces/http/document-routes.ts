/** [U2] Routes that show files: whose they are is asked of the entry. */
import { openDocumentStreams } from "./document-stream.ts";
import { document, type Found, picture } from "./documents.ts";
import { streaming } from "./guard.ts";
import type { RoutedRequest } from "./request.ts";
import type { House, Route, Routes, Server } from "./route.ts";

type Show = (request: RoutedRequest, found: Found, server: Server) => Response;

export function documentRoutes({ inbox, guard, stopping }: House, watchedEntries: number): Routes {
  const documentStream = openDocumentStreams(watchedEntries);
  const ofEntry = (counted: string, show: Show): Route => ({
    counted,
    handle: async (request, server, caller) => {
      const found = await inbox.entry(request.params.id!, caller);
      return show(request, found, server);
    },
  });
  const watch: Show = (request, found, server) => {
    server.timeout(request, 0);
    return streaming(guard, undefined, (over) => documentStream(request, found, stopping, over));
  };
  return {
    "GET /api/inbox/:id/docs/:n": ofEntry("entries.document", document),
    "HEAD /api/inbox/:id/docs/:n": ofEntry("entries.document", document),
    "GET /api/inbox/:id/files": ofEntry("entries.picture", picture),
    "HEAD /api/inbox/:id/files": ofEntry("entries.picture", picture),
    "GET /api/inbox/:id/docs/watch": ofEntry("entries.watch", watch),
  };
}
