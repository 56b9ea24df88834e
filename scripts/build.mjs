/** `npm run build`: dist/inbox, one executable with everything in it, dist/orch, the same by another name, the SDK and the clients, dist/sdk.js, dist/client.js and dist/tx.js, with their declarations in dist/types, and the list of their parts. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeDeafRuntime } from "./runtime.mjs";
import { writeSbom } from "./sbom.mjs";
import { bunPath, install, root, run, runBun } from "./setup.mjs";

/** One executable from a copy of that runtime. `target` is the compiler's name of another system; `packs` it carries inside. */
export function compile(bun, outfile, { target, packs = ["dist/page.pack"] } = {}) {
  const runtime = join(root, `${outfile}.runtime`);
  writeDeafRuntime(bun, runtime);
  runBun([
    "scripts/compile.ts",
    JSON.stringify({ entry: "src/main.ts", outfile, runtime: `${outfile}.runtime`, target, packs }),
  ]);
  rmSync(runtime);
}

export function build() {
  install();
  const dist = join(root, "dist");
  mkdirSync(dist, { recursive: true });
  runBun(["web/bundle.ts", "dist/page.pack"]);
  buildProgram();
  // The clients for every other runtime: each one file that needs nothing. The SDK also opens databases, on Bun and on Node.
  for (const name of ["client", "tx", "sdk"]) {
    const client = [
      "build",
      // An error that nobody catches shows the line it came from: of the SDK's, which no browser loads, that is one to read.
      ...(name === "sdk" ? [] : ["--minify"]),
      `--target=${name === "sdk" ? "node" : "browser"}`,
      "--format=esm",
      "--tsconfig-override=tsconfig.build.json",
      `src/sdk/${name}.ts`,
      "--outfile",
      `dist/${name}.js`,
    ];
    runBun(client, { stdio: ["ignore", "ignore", "inherit"] });
  }
  writeSbom(join(dist, "sbom.cdx.json"));
}

/** `--program`: the executable alone, from the page that is already bundled. */
function buildProgram() {
  const dist = join(root, "dist");
  compile(bunPath(), "dist/inbox.new");
  renameSync(join(dist, "inbox.new"), join(dist, "inbox"));
  rmSync(join(dist, "orch"), { force: true });
  symlinkSync("inbox", join(dist, "orch"));
}

/** What the program is made of; a folder changes when something in it is made or removed. */
const madeOf = [
  "src",
  "web",
  "scripts/build.mjs",
  "scripts/compile.ts",
  "scripts/chunks.ts",
  "scripts/runtime.mjs",
  "package-lock.json",
  "tsconfig.build.json",
];

/** For scripts that only use the program: nothing is built that is there and newer than all it is made of. */
export function buildIfChanged() {
  install();
  const program = join(root, "dist/inbox");
  const builtAt = existsSync(program) ? statSync(program).mtimeMs : 0;
  const isNewer = (path) => statSync(path).mtimeMs > builtAt;
  const changed = madeOf.some((name) => {
    const path = join(root, name);
    if (isNewer(path)) return true;
    if (!statSync(path).isDirectory()) return false;
    return readdirSync(path, { recursive: true }).some((file) => isNewer(join(path, file)));
  });
  if (changed) build();
}

/** What programs in TypeScript see of the package: declarations, not sources. */
export function writeDeclarations() {
  rmSync(join(root, "dist/types"), { recursive: true, force: true });
  run(join(root, "node_modules/.bin/tsc"), ["-p", "tsconfig.types.json"]);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const only = process.argv.includes("--declarations");
  if (process.argv.includes("--program")) {
    buildProgram();
    process.exit();
  }
  if (!only) build();
  // Tests need none; one of them makes them.
  if (process.argv.includes("--undeclared")) process.exit();
  writeDeclarations();
  const rest = only
    ? ""
    : "dist/inbox, dist/orch, dist/sdk.js, dist/client.js, dist/tx.js, dist/sbom.cdx.json and ";
  console.log(`built ${rest}dist/types`);
}
