/** The libraries ours is compared with. They are installed here and only for this: nobody else needs them. */
import { existsSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dir, "../peers");

/** False where they cannot be had; then the comparison goes without them. */
export function installPeers(): boolean {
  if (existsSync(join(folder, "node_modules"))) return true;
  const flags = "--ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error".split(" ");
  return Bun.spawnSync(["npm", "install", ...flags], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
    .success;
}

/** Resolved by hand, so that the types of this repository do not depend on what is installed there. */
export const peer = <T>(name: string): Promise<T> => import(Bun.resolveSync(name, folder));
