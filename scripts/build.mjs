/** `npm run build`: dist/inbox, one executable with everything in it, dist/orch, the same by another name, the clients, dist/client.js and dist/tx.js, and the list of their parts. */
import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeDeafRuntime } from "./runtime.mjs";
import { writeSbom } from "./sbom.mjs";
import { bunPath, install, root, runBun } from "./setup.mjs";

/**
 * In pieces: what a command does not need is not even read; in one piece every command took 4 ms of processor time more.
 * The last two flags keep the program from running code or reading settings of the folder it is called in.
 */
const flags = [
  "--compile",
  "--minify",
  "--bytecode",
  "--format=esm",
  "--splitting",
  "--loader=.pack:file",
  "--asset-naming=[name].[ext]",
  "--tsconfig-override=tsconfig.build.json",
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
];

export function build() {
  install();
  const dist = join(root, "dist");
  mkdirSync(dist, { recursive: true });
  runBun(["web/bundle.ts", "dist/page.pack"]);
  const runtime = join(dist, "runtime");
  writeDeafRuntime(bunPath(), runtime);
  const made = [...flags, `--compile-executable-path=${runtime}`];
  runBun(["build", ...made, "src/main.ts", "dist/page.pack", "--outfile", "dist/inbox.new"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  rmSync(runtime);
  // The clients for every other runtime: each one file that needs nothing.
  for (const name of ["client", "tx"]) {
    const client = [
      "build",
      "--minify",
      "--target=browser",
      "--format=esm",
      "--tsconfig-override=tsconfig.build.json",
      `src/sdk/${name}.ts`,
      "--outfile",
      `dist/${name}.js`,
    ];
    runBun(client, { stdio: ["ignore", "ignore", "inherit"] });
  }
  renameSync(join(dist, "inbox.new"), join(dist, "inbox"));
  rmSync(join(dist, "orch"), { force: true });
  symlinkSync("inbox", join(dist, "orch"));
  writeSbom(join(dist, "sbom.cdx.json"));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  build();
  console.log("built dist/inbox, dist/orch, dist/client.js, dist/tx.js and dist/sbom.cdx.json");
}
