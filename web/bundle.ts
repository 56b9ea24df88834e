/**
 * The page as one file: every script and style under a name made from its content, compressed once. The program carries
 * this file inside; from source it is made when something it is made of has changed.
 */
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { type Made, packed } from "./pack.ts";

const root = join(import.meta.dir, "..");

const letterFile = "node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2";
const nameOf = (bytes: Uint8Array) => Bun.hash(bytes).toString(36);
const encoded = (text: string) => new TextEncoder().encode(text);

/** The list of long names takes React by name; Preact's is a tenth of it. */
const preact: Bun.BunPlugin = {
  name: "preact",
  setup(build) {
    const places: Record<string, string> = {
      react: "preact/compat",
      "react-dom": "preact/compat",
      "react/jsx-runtime": "preact/jsx-runtime",
    };
    build.onResolve({ filter: /^react(-dom)?(\/jsx-runtime)?$/ }, ({ path }) => ({
      path: Bun.resolveSync(places[path]!, root),
    }));
  },
};

async function scripts(): Promise<{ files: Made[]; page: string; frame: string; style: string }> {
  const built = await Bun.build({
    entrypoints: [
      join(root, "web/main.tsx"),
      join(root, "web/frame/diagram.ts"),
      join(root, "web/style/page.css"),
    ],
    target: "browser",
    format: "esm",
    splitting: true,
    minify: true,
    publicPath: "/assets/",
    naming: { entry: "[name]-[hash].[ext]", chunk: "part-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
    tsconfig: join(root, "web/tsconfig.json"),
    plugins: [preact],
    external: ["/letters.woff2"], // or it would be written into the style sheet
  });
  const files = await Promise.all(
    built.outputs.map(async (output) => ({
      path: `/assets/${output.path.replace(/^.*\//, "")}`,
      bytes: new Uint8Array(await output.arrayBuffer()),
    })),
  );
  const letters = await Bun.file(join(root, letterFile)).bytes();
  const font = { path: `/assets/letters-${nameOf(letters)}.woff2`, bytes: letters };
  const sheet = files.find(({ path }) => path.endsWith(".css"))!;
  sheet.bytes = encoded(new TextDecoder().decode(sheet.bytes).replace("/letters.woff2", font.path));
  sheet.path = `/assets/page-${nameOf(sheet.bytes)}.css`;
  files.push(font);
  const named = (pattern: RegExp) => files.find(({ path }) => pattern.test(path))!.path;
  return {
    files,
    page: named(/\/main-\w+\.js$/),
    frame: named(/\/diagram-\w+\.js$/),
    style: sheet.path,
  };
}

export async function bundle(target: string): Promise<void> {
  const { files, page, frame, style } = await scripts();
  const html = async (name: string, links: Record<string, string>) => ({
    path: `/${name}.html`,
    bytes: encoded(
      (await Bun.file(join(root, `web/${name}.html`)).text()).replace(/\{(\w+)\}/g, (_, key) => links[key]!),
    ),
  });
  const all = [
    ...files,
    await html("page", { page, style, icon: "/assets/icon.svg" }),
    await html("frame/diagram", { frame }),
    { path: "/assets/icon.svg", bytes: await Bun.file(join(root, "web/icon.svg")).bytes() },
    { path: "/assets/manifest.json", bytes: await Bun.file(join(root, "web/manifest.json")).bytes() },
    { path: "/worker.js", bytes: await Bun.file(join(root, "web/worker.js")).bytes() },
  ];
  mkdirSync(join(target, ".."), { recursive: true });
  await Bun.write(`${target}.new`, packed(all));
  renameSync(`${target}.new`, target);
}

if (import.meta.main) await bundle(process.argv[2]!);
