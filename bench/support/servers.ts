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

/**
 * NATS with JetStream in files, where an answer means that it is on the disk. Undefined where there is none, or one before
 * 2.10, which cannot be told to: Debian 12 has 2.9.
 */
export async function startNats(folder: string): Promise<Running | undefined> {
  const program = Bun.which("nats-server");
  const version = program && /v(\d+)\.(\d+)/.exec(Bun.spawnSync([program, "--version"]).stdout.toString());
  if (!version || Number(version[1]) * 1000 + Number(version[2]) < 2010) return undefined;
  const port = freePort();
  const settings = join(folder, "nats.conf");
  await Bun.write(
    settings,
    `listen: "127.0.0.1:${port}"\njetstream { store_dir: ${JSON.stringify(join(folder, "nats"))}, sync_interval: always }\n`,
  );
  const child = Bun.spawn([program!, "-c", settings], {
    env: bareEnvironment(),
    stdio: ["ignore", "ignore", "ignore"],
  });
  await until("NATS answers", async () => {
    if (child.exitCode !== null) throw new Error(`nats-server ended with ${child.exitCode}`);
    return Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } }).then(
      (socket) => {
        socket.end();
        return true;
      },
      () => false,
    );
  });
  return { url: `nats://127.0.0.1:${port}`, pid: child.pid, stop: () => ended(child) };
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
