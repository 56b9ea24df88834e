/** /openapi.json and the page to read and try it. The files are embedded in the program and read on request. */

import openapi from "../../../docs/generated/openapi.json" with { type: "file" };
import style from "./page/api.css" with { type: "file" };
import html from "./page/api.html" with { type: "file" };
import script from "./page/api.js" with { type: "file" };

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const files: Record<string, [path: string, type: string]> = {
  "/docs/api": [html as unknown as string, "text/html; charset=utf-8"],
  "/docs/api.js": [script, "text/javascript; charset=utf-8"],
  "/docs/api.css": [style, "text/css; charset=utf-8"],
};

const headers = (type: string) => ({
  "content-type": type,
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "cache-control": "no-cache",
});

export async function page(request: Request): Promise<Response> {
  const [path, type] = files[new URL(request.url).pathname]!;
  return new Response(Bun.file(path), { headers: headers(type) });
}

export async function openApi(): Promise<Response> {
  return new Response(Bun.file(openapi as unknown as string), {
    headers: headers("application/json; charset=utf-8"),
  });
}
