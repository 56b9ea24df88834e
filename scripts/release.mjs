/**
 * `npm run release`: everything that is published, in dist/release. `-- --target NAME` makes only what is for some systems, and
 * so no formula.
 */
import { createHash } from "node:crypto";
import { copyFileSync, createReadStream, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build, compile, writeDeclarations } from "./build.mjs";
import { fetchLocked } from "./registry.mjs";
import { writeFormula } from "./release/brew.mjs";
import { writeDeb } from "./release/deb.mjs";
import { settleSignature } from "./release/mach-o.mjs";
import { pack, version, writeMain, writePlatform } from "./release/npm.mjs";
import { targets } from "./release/targets.mjs";
import { root, runBun } from "./setup.mjs";

const { values } = parseArgs({ options: { target: { type: "string", multiple: true } } });
const unknown = values.target?.find((wanted) => !targets.some(({ name }) => name === wanted));
if (unknown) {
  console.error(`no target ${unknown}; one of: ${targets.map(({ name }) => name).join(", ")}`);
  process.exit(1);
}

const out = join(root, "dist/release");
rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "npm"), { recursive: true });
build();
writeDeclarations();
// What is published carries its documentation.
runBun(["scripts/site/build.ts"]);

for (const target of targets.filter(({ name }) => !values.target || values.target.includes(name))) {
  const file = `inbox-${target.name}${target.ending}`;
  const runtime = join(fetchLocked(target.runtimePackage), "bin", `bun${target.ending}`);
  compile(runtime, `dist/release/${file}`, {
    target: target.compilerTarget,
    packs: ["dist/page.pack", "dist/site.pack"],
  });
  settleSignature(target, join(out, file));
  pack(writePlatform(target, join(out, file), join(out, "npm")));
  const deb = writeDeb(target, join(out, file), out);
  console.log(`built ${file}${deb ? ` and ${deb}` : ""}`);
}
pack(writeMain(join(out, "npm")));
copyFileSync(join(root, "dist/sbom.cdx.json"), join(out, "sbom.cdx.json"));
copyFileSync(join(root, "packaging/install.sh"), join(out, "install.sh"));
writeFileSync(join(out, "VERSION"), `${version}\n`);
const formula = writeFormula(out, await checksums());
if (formula) console.log(`wrote ${formula}`);
// As `sha256sum --check` reads it.
const lines = [...(await checksums())].map(([file, sum]) => `${sum}  ${file}\n`);
writeFileSync(join(out, "SHA256SUMS"), lines.join(""));
console.log(`everything is in ${out}`);

/** Of each file by its path, in order. */
async function checksums() {
  const files = readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(out.length + 1));
  const found = new Map();
  for (const file of files.sort()) {
    const hash = createHash("sha256");
    for await (const piece of createReadStream(join(out, file))) hash.update(piece);
    found.set(file, hash.digest("hex"));
  }
  return found;
}
