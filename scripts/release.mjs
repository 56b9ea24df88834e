/** `npm run release`: everything that is published, in dist/release. `-- --target NAME` makes the executables of some systems only. */
import { createHash } from "node:crypto";
import { copyFileSync, createReadStream, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build, compile, writeDeclarations } from "./build.mjs";
import { fetchLocked } from "./registry.mjs";
import { pack, writeMain, writePlatform } from "./release/npm.mjs";
import { targets } from "./release/targets.mjs";
import { root } from "./setup.mjs";

const { values } = parseArgs({ options: { target: { type: "string", multiple: true } } });
const wanted = targets.filter(({ name }) => !values.target || values.target.includes(name));
if (!wanted.length) {
  console.error(`no such target; there are: ${targets.map(({ name }) => name).join(", ")}`);
  process.exit(1);
}

const out = join(root, "dist/release");
rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "npm"), { recursive: true });
build();
writeDeclarations();

for (const target of wanted) {
  const file = `inbox-${target.name}${target.ending}`;
  const runtime = join(fetchLocked(target.runtimePackage), "bin", `bun${target.ending}`);
  compile(runtime, `dist/release/${file}`, target.compilerTarget);
  pack(writePlatform(target, join(out, file), join(out, "npm")));
  console.log(`built ${file}`);
}
pack(writeMain(join(out, "npm")));
copyFileSync(join(root, "dist/sbom.cdx.json"), join(out, "sbom.cdx.json"));

/** As `sha256sum --check` reads it. */
async function writeChecksums() {
  const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const lines = [];
  for (const { parentPath, name } of files) {
    const hash = createHash("sha256");
    for await (const piece of createReadStream(join(parentPath, name))) hash.update(piece);
    lines.push(`${hash.digest("hex")}  ${join(parentPath, name).slice(out.length + 1)}\n`);
  }
  writeFileSync(join(out, "SHA256SUMS"), lines.sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1)).join(""));
}
await writeChecksums();
console.log(`everything is in ${out}`);
