/** [C16] The documentation at /docs: one file inside the program, made by scripts/site, or beside it in a checkout. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { InboxError } from "../../contract/errors.ts";
import { packFiles, sent } from "./pack.ts";

const name = "site.pack";

type Files = ReturnType<typeof packFiles>;

const places = () => [join(dirname(process.execPath), name), join(import.meta.dir, "../../../dist", name)];

const files = packFiles(name, async () => {
  const made = places().find((path) => existsSync(path));
  if (made) return Bun.file(made);
  throw new InboxError("not_found", "this program was built without the documentation", {
    hint: "in a checkout npm run site makes it; its pages are the Markdown files in docs",
  });
});

/** A page is found by its name without .html; a path without a file name means the index page of that folder. */
const candidates = (path: string) => [path, `${path}.html`, `${path.replace(/\/$/, "")}/index.html`];

export const siteOf =
  (files: Files) =>
  async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname === "/docs") return new Response(null, { status: 308, headers: { location: "/docs/" } });
    const all = await files();
    const path = pathname.slice("/docs".length);
    const file = candidates(path)
      .map((one) => all.get(one))
      .find(Boolean);
    const policy = new TextDecoder().decode(Bun.gunzipSync(all.get("/policy.txt")!.gzip));
    const headers = {
      "content-security-policy": policy,
      "cache-control": path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    };
    if (file) return sent(request, file, headers);
    const missing = sent(request, all.get("/404.html")!, headers);
    return new Response(missing.body, { status: 404, headers: missing.headers });
  };

export const site = siteOf(files);
