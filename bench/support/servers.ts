/** The servers the hub is measured against, each a process of its own on this machine, stopped by whoever started it. */
import { join } from "node:path";
import { bareEnvironment } from "../../test/support/cli.ts";
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
  await until(() => {
    if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
    const ping = Bun.spawnSync(["redis-cli", "-p", String(port), "ping"], { stderr: "ignore" });
    return ping.stdout.toString().startsWith("PONG");
  });
  return { url: `redis://127.0.0.1:${port}`, pid: child.pid, stop: () => ended(child) };
}

/** RabbitMQ on ports and folders of its own, without plugins. Its name server outlives it, so it is ended too. */
export async function startRabbit(folder: string): Promise<Running> {
  const [port, spread, names] = [freePort(), freePort(), freePort()];
  const plugins = join(folder, "enabled_plugins");
  await Bun.write(plugins, "[].");
  const env = bareEnvironment({
    HOME: folder,
    RABBITMQ_NODENAME: `bench${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: "127.0.0.1",
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(spread),
    ERL_EPMD_PORT: String(names),
    ERL_EPMD_ADDRESS: "127.0.0.1",
    ERL_EPMD_RELAXED_COMMAND_CHECK: "1", // so that it may be ended
    RABBITMQ_MNESIA_BASE: join(folder, "mnesia"),
    RABBITMQ_LOG_BASE: join(folder, "log"),
    RABBITMQ_ENABLED_PLUGINS_FILE: plugins,
    RABBITMQ_CONF_ENV_FILE: "/dev/null",
  });
  const program = "/usr/lib/rabbitmq/bin/rabbitmq-server";
  if (!(await Bun.file(program).exists()))
    throw new Error("rabbitmq is missing: apt-get install -y rabbitmq-server");
  const child = Bun.spawn(["setsid", program], { env, stdio: ["ignore", "ignore", "ignore"] });
  await until(() =>
    Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } }).then(
      (socket) => {
        socket.end();
        return true;
      },
      () => false,
    ),
  );
  const stop = async () => {
    process.kill(-child.pid, "SIGKILL");
    await child.exited;
    Bun.spawnSync(["epmd", "-port", String(names), "-kill"], { stdout: "ignore" });
  };
  return { url: `amqp://guest:guest@127.0.0.1:${port}`, pid: child.pid, stop };
}

/** A program that is not ours; says where it comes from if it is missing. */
export function need(program: string): string {
  const found = Bun.which(program);
  if (!found) throw new Error(`${program} is missing: apt-get install -y wrk redis-server`);
  return found;
}

function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

async function ended(child: Bun.Subprocess): Promise<void> {
  child.kill();
  await child.exited;
}
