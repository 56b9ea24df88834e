/** The npm packages: one for each platform with the program in it, and `restante`, which names them all as optional. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  constants,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { cleanEnvironment, root } from "../setup.mjs";
import { targets } from "./targets.mjs";

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { name, license, description, type, exports, engines } = manifest;
export const { version } = manifest;

export const packageOf = (target) => `${name}-${target.name}`;
const programs = ["inbox", "orch", name];

/** What runs from the package is bundled; its declarations name this one. */
const typesOf = ["valibot"];

export const publishedManifest = () => ({
  name,
  version,
  description,
  license,
  type,
  bin: Object.fromEntries(programs.map((program) => [program, `bin/${program}`])),
  exports,
  sideEffects: false,
  engines,
  scripts: { postinstall: "node bin/install.cjs" },
  dependencies: Object.fromEntries(typesOf.map((each) => [each, manifest.dependencies[each]])),
  optionalDependencies: Object.fromEntries(targets.map((target) => [packageOf(target), version])),
});

const platformManifest = (target) => ({
  name: packageOf(target),
  version,
  description: `The programs of ${name} for ${target.name}`,
  license,
  os: [target.os],
  cpu: [target.cpu],
  ...(target.libc && { libc: [target.libc] }),
  preferUnplugged: true,
});

const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

function begin(folder, contents) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeJson(join(folder, "package.json"), contents);
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
}

/** `restante` as a folder, from what `npm run build` has made. */
export function writeMain(into) {
  const folder = join(into, name);
  begin(folder, publishedManifest());
  const bin = join(folder, "bin");
  // The package is ESM, the launcher is not: it must run on whatever Node there is.
  writeJson(join(bin, "package.json"), { type: "commonjs" });
  for (const file of ["program.cjs", "install.cjs"])
    copyFileSync(join(root, "packaging/npm", file), join(bin, file));
  for (const program of programs) {
    copyFileSync(join(root, "packaging/npm/run.cjs"), join(bin, program));
    chmodSync(join(bin, program), 0o755);
  }
  for (const file of ["README.md", "CHANGELOG.md"]) copyFileSync(join(root, file), join(folder, file));
  mkdirSync(join(folder, "dist"));
  for (const part of ["sdk.js", "client.js", "tx.js", "types"])
    cpSync(join(root, "dist", part), join(folder, "dist", part), { recursive: true });
  return folder;
}

export function writePlatform(target, program, into) {
  const folder = join(into, packageOf(target));
  begin(folder, platformManifest(target));
  copyFileSync(program, join(folder, "bin", `inbox${target.ending}`), constants.COPYFILE_FICLONE);
  return folder;
}

/** Makes the archive of a package's folder, beside it, in the folder's place. */
export function pack(folder) {
  const into = dirname(folder);
  const args = ["pack", folder, "--ignore-scripts", "--json", "--pack-destination", into];
  const options = { cwd: into, env: cleanEnvironment(), encoding: "utf8" };
  const { status, stdout, stderr } = spawnSync("npm", args, options);
  if (status !== 0) throw new Error(`npm ${args.join(" ")}: ${stderr}`);
  rmSync(folder, { recursive: true });
  return join(into, JSON.parse(stdout)[0].filename);
}
