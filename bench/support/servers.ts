/** The servers the hub is measured against, each a process of its own on this machine, stopped by whoever started it. */
import { join } from "node:path";
import { bareEnvironment } from "../../test/support/cli.ts";
import { freePort } from "../../test/support/servers.ts";
import { until } from "../../test/support/until.ts";

export interface Running {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** A child of bench/children that tells its address. */
export async function startChild(script: string, ...args: string[]): Promise<Running> {
  const told = Promise.withResolvers<string>();
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../children", script), ...args], {
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (url: string) => told.resolve(url),
    onExit: (_, code) => told.reject(new Error(`${script} ended with ${code}`)),
  });
  return { url: await told.promise, pid: child.pid, stop: () => ended(child) };
}

/** Redis that answers when a command is on the disk: an fsync for all commands of one turn of its loop. */
export async function startRedis(folder: string): Promise<Running> {
  const port = freePort();
  const settings = `--bind 127.0.0.1 --port ${port} --appendonly yes --appendfsync always --auto-aof-rewrite-percentage 0`;
  const child = Bun.spawn([need("redis-server"), ...settings.split(" "), "--save", "", "--dir", folder], {
    env: bareEnvironment(),
    stdio: ["ignore", "ignore", "inherit"],
  });
  await until("redis answers", () => {
    if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
    const ping = Bun.spawnSync(["redis-cli", "-p", String(port), "ping"], { stderr: "ignore" });
    return ping.stdout.toString().startsWith("PONG");
  });
  return { url: `redis://127.0.0.1:${port}`, pid: child.pid, stop: () => ended(child) };
}

/** A program that is not ours; says where it comes from if it is missing. */
export function need(program: string): string {
  const found = Bun.which(program);
  if (!found) throw new Error(`${program} is missing: apt-get install -y wrk redis-server`);
  return found;
}

async function ended(child: Bun.Subprocess): Promise<void> {
  child.kill();
  await child.exited;
}
