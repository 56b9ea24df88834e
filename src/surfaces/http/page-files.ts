/**
 * [U7] The person's page. Its files are one file inside the program, made by web/bundle.ts; from source, it is made
 * on request.
 */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { InboxError } from "../../contract/errors.ts";
import { packFiles, sent } from "./pack.ts";

const home = "/page.html";
const diagrams = "/frame/diagram.html";

/** Every address that the page itself handles; it routes them in the browser. */
export const pagePaths = [
  "/",
  ...["inbox", "overview", "agents", "threads", "queue", "channels", "dead-letters"].flatMap((tab) => [
    `/${tab}`,
    `/${tab}/*`,
  ]),
];
export const diagramPath = "/diagrams";
export const assetPaths = "/assets/*";
/** [U13] At the root: the scope of a service worker is the folder it is in. */
export const workerPath = "/worker.js";

/** [X3] Only what we serve, nothing inline. The page may also create images, from bytes it has received. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The drawing library adds style elements to what it measures; its frame has no origin, and may load nothing but scripts. */
const diagramPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "sandbox allow-scripts",
].join("; ");

const files = packFiles("page.pack", async () => {
  const root = join(import.meta.dir, "../../..");
  const made = join(root, "dist/page.pack");
  if (!existsSync(made) || (await newest(root)) > statSync(made).mtimeMs) {
    // Imported by a variable name so that it is not bundled into the program, which never needs it.
    const bundler = join(root, "web/bundle.ts");
    const { bundle } = (await import(bundler)) as { bundle(target: string): Promise<void> };
    await bundle(made);
  }
  return Bun.file(made);
});

async function newest(root: string): Promise<number> {
  let latest = 0;
  for (const pattern of [
    "web/**/*",
    "src/contract/**/*.ts",
    "src/surfaces/client/*.ts",
    "src/{client,namespaces}.ts",
  ])
    for await (const file of new Bun.Glob(pattern).scan({ cwd: root, absolute: true }))
      latest = Math.max(latest, statSync(file).mtimeMs);
  return latest;
}

const answer = async (request: Request, path: string, headers: Record<string, string>) => {
  const file = (await files()).get(path);
  if (file) return sent(request, file, headers);
  throw new InboxError("not_found", `the page has no file ${path}`, {
    hint: "reload the page: it is newer than what you have",
  });
};

export const inboxPage = (request: Request) =>
  answer(request, home, { "content-security-policy": pagePolicy, "cache-control": "no-cache" });

export const diagramFrame = (request: Request) =>
  answer(request, diagrams, { "content-security-policy": diagramPolicy, "cache-control": "no-cache" });

export const pageWorker = (request: Request) =>
  answer(request, workerPath, { "content-security-policy": pagePolicy, "cache-control": "no-cache" });

/** Their names contain a hash of their content, so they never change. The frame has no origin, so they are served to any. */
export const asset = (request: Request) =>
  answer(request, new URL(request.url).pathname, {
    "cache-control": /-\w{6,}\.\w+$/.test(request.url) ? "public, max-age=31536000, immutable" : "no-cache",
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
  });
