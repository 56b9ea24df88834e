/**
 * [U2] The content of an entry's documents. Text by agents is hostile: it is never served as a page of ours, whatever
 * it contains. Its type comes from a fixed list, `nosniff` is set, and even as a page it could run and load nothing.
 */
import type { Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { InboxError } from "../../contract/errors.ts";
import { type Confines, notShown, openConfined } from "../../documents/confined.ts";
import { noWorkspace } from "../../documents/states.ts";
import { isImage, type Served, servedAs } from "../../documents/types.ts";
import type { EmbeddedInbox } from "../../inbox/inbox.ts";
import { fs } from "../../platform/system.ts";
import type { RoutedRequest } from "./request.ts";

/** An entry, the workspace of its documents, and the folder outside of which nothing is served. */
export type Found = Awaited<ReturnType<EmbeddedInbox["entry"]>> & { confines?: Confines };

const policy = "default-src 'none'; sandbox; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
const pieceBytes = 256 * 1024;

/** The n-th document of the entry. */
export function document(request: RoutedRequest, found: Found): Response {
  const path = pathOf(found, request.params.n!);
  return bytes(request, found, path);
}

/** An image in a document of the entry, by its path relative to the document. */
export function picture(request: RoutedRequest, found: Found): Response {
  const asked = new URL(request.url).searchParams;
  const path = asked.get("path");
  if (!path) throw new InboxError("invalid_input", "path is required: a path relative to the document");
  const beside = asked.get("n");
  const base = beside === null ? "." : dirname(pathOf(found, beside));
  const whole = path.startsWith("/") ? path.slice(1) : join(base, path);
  if (!isImage(whole)) throw notShown(path, "it is not an image");
  return bytes(request, found, whole);
}

function pathOf({ entry }: Found, n: string): string {
  const doc = /^\d{1,3}$/.test(n) ? entry.docs[Number(n)] : undefined;
  if (!doc)
    throw new InboxError("not_found", `the entry has no document ${n}`, {
      hint: entry.docs.length ? `it has 0 to ${entry.docs.length - 1}` : "it has none",
    });
  return doc.path;
}

function bytes(request: Request, { confines }: Found, path: string): Response {
  if (!confines) throw notShown(path, noWorkspace);
  const { descriptor, stat } = openConfined(confines, path);
  const headers = headersOf(path, stat, servedAs(path));
  const known = request.headers.get("if-none-match")?.includes(headers.etag!);
  if (known || request.method === "HEAD") {
    fs().closeSync(descriptor);
    return new Response(null, { status: known ? 304 : 200, headers });
  }
  return new Response(streamOf(descriptor, stat.size), { headers });
}

function headersOf(path: string, stat: Stats, { type, inline }: Served): Record<string, string> {
  const name = encodeURIComponent(basename(path)).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return {
    "content-type": type,
    "content-disposition": `${inline ? "inline" : "attachment"}; filename*=UTF-8''${name}`,
    "content-security-policy": policy,
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "cache-control": "private, no-cache",
    etag: `"${stat.ino.toString(36)}-${stat.size.toString(36)}-${Math.round(stat.mtimeMs * 1000).toString(36)}"`,
    "last-modified": stat.mtime.toUTCString(),
  };
}

/** Sends as many bytes as the file had, as fast as they are read: a file that grows forever must not be sent forever. */
function streamOf(descriptor: number, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  let closed = false;
  const close = () => {
    if (!closed) fs().closeSync(descriptor);
    closed = true;
  };
  const read = (length: number) =>
    new Promise<Uint8Array>((done, fail) => {
      const piece = new Uint8Array(length);
      fs().read(descriptor, piece, 0, length, at, (error, count) =>
        error ? fail(error) : done(piece.subarray(0, count)),
      );
    });
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const piece = await read(Math.min(pieceBytes, size - at));
          at += piece.length;
          if (piece.length) controller.enqueue(piece);
          if (at < size && piece.length) return;
        } catch {
          // If it cannot be read any further it ends here, like a file that was truncated.
        }
        close();
        controller.close();
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}
