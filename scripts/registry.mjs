/** Packages that are not installed but needed once: fetched from the configured registry, checked, and kept beside the installed ones. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cleanEnvironment, root } from "./setup.mjs";

const cache = join(root, "node_modules/.cache/restante");

export const packageFolder = (name, version) => join(cache, `${name.replace(/[@/]/g, "_")}-${version}`);

/** The folder of an unpacked package. `integrity` is the lock file's, in base64. */
export function fetchPackage(name, version, integrity) {
  const folder = packageFolder(name, version);
  if (existsSync(folder)) return folder;
  const making = `${folder}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  try {
    succeed("npm", ["pack", `${name}@${version}`, "--silent", "--pack-destination", making]);
    const archive = join(making, readdirSync(making)[0]);
    const found = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
    if (found !== integrity)
      throw new Error(`${name}@${version} has the checksum ${found}; expected ${integrity}`);
    succeed("tar", ["-xzf", archive, "-C", making, "--strip-components=1"]);
    rmSync(archive);
    renameSync(making, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}

function succeed(command, args) {
  const options = {
    cwd: root,
    env: cleanEnvironment(),
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
  };
  const { status, stderr, error } = spawnSync(command, args, options);
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(" ")}: ${stderr}`);
}

/** One that the lock file names, though it is for another system. */
export function fetchLocked(name) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const { version, integrity } = packages[`node_modules/${name}`];
  return fetchPackage(name, version, integrity);
}
