/** `npm run site`: the documentation as static files in dist/site, and as the one file that the hub serves at /docs. */
import { createHash } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { packed } from "../../web/pack.ts";
import { stage } from "./stage.ts";

const dist = join(import.meta.dir, "../../dist");
const target = join(dist, "site");

/** [X3] The few inline scripts of the generator by their content; it styles code with attributes. */
function policyOf(pages: readonly string[]): string {
  const scripts = new Set(
    pages.flatMap((html) =>
      [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(([, text]) => text!),
    ),
  );
  const hashes = [...scripts].map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(" ")}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

async function pack(): Promise<number> {
  const files = await Promise.all(
    [...new Bun.Glob("**/*").scanSync(target)].sort().map(async (name) => ({
      path: `/${name}`,
      bytes: await Bun.file(join(target, name)).bytes(),
    })),
  );
  const text = new TextDecoder();
  const pages = files.filter(({ path }) => path.endsWith(".html")).map(({ bytes }) => text.decode(bytes));
  const policy = { path: "/policy.txt", bytes: new TextEncoder().encode(policyOf(pages)) };
  const bytes = packed([...files, policy], { small: false });
  await Bun.write(join(dist, "site.pack.new"), bytes);
  renameSync(join(dist, "site.pack.new"), join(dist, "site.pack"));
  return bytes.length;
}

const source = join(dist, "site-source");
const pages = await stage(source);
if (!process.argv.includes("--stage")) {
  const { build } = await import("vitepress");
  rmSync(target, { recursive: true, force: true });
  await build(source, { outDir: target });
  const size = await pack();
  console.log(
    `wrote ${pages} pages to dist/site, and dist/site.pack of ${(size / 1024 / 1024).toFixed(1)} MiB`,
  );
}
