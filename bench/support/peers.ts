/** The libraries ours is compared with. They are installed here and only for this: nobody else needs them. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const allPeers = [
  "pg-boss",
  "graphile-worker",
  "bullmq",
  "redis-streams",
  "nats",
  "plainjob",
] as const;
export type Peer = (typeof allPeers)[number];
export const peerNames: Record<Peer, string> = {
  "pg-boss": "pg-boss (Postgres)",
  "graphile-worker": "graphile-worker (Postgres)",
  bullmq: "BullMQ (Redis)",
  "redis-streams": "Redis Streams, a group",
  nats: "NATS JetStream",
  plainjob: "plainjob (SQLite)",
};

const folder = join(import.meta.dir, "../peers");

/** False where they cannot be had; then the comparison goes without them. */
export function installPeers(): boolean {
  const has = (name: string) => existsSync(join(folder, "node_modules", name));
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (Object.keys(dependencies).every(has)) return true;
  const flags = "--ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error".split(" ");
  return Bun.spawnSync(["npm", "install", ...flags], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
    .success;
}

/** Resolved by hand, so that the types of this repository do not depend on what is installed there. */
export const peer = <T>(name: string): Promise<T> => import(Bun.resolveSync(name, folder));
