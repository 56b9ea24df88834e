/** Real servers for tests and benchmarks, each a process of its own with a folder and a port of its own, stopped by whoever started it. */
import { randomInt } from "node:crypto";
import { appendFileSync, chownSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bareEnvironment } from "./cli.ts";
import { temporaryFolder } from "./folder.ts";
import { until } from "./until.ts";

export interface Server {
  url: string;
  pid: number;
  /** Ends it at once, as a power failure would. */
  kill(): Promise<void>;
  /** Starts it again, on the same port and with what it had written. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Standby extends Server {
  /** Makes it the server that takes writes. */
  promote(): Promise<void>;
}

const postgresHome = "/usr/lib/postgresql";

/** Where Debian has put the server's programs; undefined where it is not installed. */
export function postgresPrograms(): string | undefined {
  if (!existsSync(postgresHome)) return undefined;
  const newest = readdirSync(postgresHome).sort((a, b) => Number(b) - Number(a))[0];
  return newest && join(postgresHome, newest, "bin");
}

/** The server refuses to run as root. */
const unprivileged =
  process.getuid?.() === 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];

function postgresUser(): { uid: number; gid: number } | undefined {
  if (!unprivileged.length) return undefined;
  const number = (flag: string) => Number(Bun.spawnSync(["id", flag, "postgres"]).stdout.toString());
  return { uid: number("-u"), gid: number("-g") };
}

const thisMachine = "127.0.0.1";

/** `durable: false` leaves out fsync, for tests that look at everything but that. `address`: where it listens. */
export async function startPostgres({
  durable = true,
  settings = [] as string[],
  address = thisMachine,
} = {}): Promise<Server> {
  const programs = postgresPrograms();
  if (!programs) throw new Error("postgres is missing: apt-get install -y postgresql");
  const folder = postgresFolder();
  const data = join(folder.path, "data");
  makeCluster(programs, data);
  if (address !== thisMachine) appendFileSync(join(data, "pg_hba.conf"), "host all all samenet trust\n");
  return runPostgres(programs, folder, data, address, [
    ...(durable ? [] : ["fsync=off", "full_page_writes=off"]),
    ...settings,
  ]);
}

/** Names a cluster that nobody has used yet, for as long as the tests run: copying one takes a tenth of making one. */
const templateVariable = "TEST_POSTGRES_TEMPLATE";

/** Makes it, in a folder that goes with it, for whoever is started with this environment. */
export function postgresTemplate(): { env: Record<string, string>; [Symbol.dispose](): void } {
  const folder = postgresFolder();
  const data = join(folder.path, "data");
  makeCluster(postgresPrograms()!, data);
  return { env: { [templateVariable]: data }, [Symbol.dispose]: folder[Symbol.dispose] };
}

function makeCluster(programs: string, data: string): void {
  const template = process.env[templateVariable];
  const how = template
    ? ["cp", "-a", template, data]
    : [
        ...[join(programs, "initdb"), "-D", data, "-A", "trust", "-U", "postgres", "--no-sync"],
        ...["-E", "UTF8", "--locale=C.UTF-8"],
      ];
  const made = Bun.spawnSync([...unprivileged, ...how], { env: bareEnvironment(), cwd: "/" });
  if (made.exitCode !== 0) throw new Error(`${how[0]}: ${made.stderr}`);
}

/** A copy of a running server that follows it, and takes no writes until it is promoted. */
export async function startStandby({ url }: Server): Promise<Standby> {
  const programs = postgresPrograms()!;
  const { hostname, port } = new URL(url);
  const folder = postgresFolder();
  const data = join(folder.path, "data");
  const from = ["-h", hostname, "-p", port, "-U", "postgres"];
  const copied = Bun.spawnSync(
    [...unprivileged, join(programs, "pg_basebackup"), ...from, "-D", data, "-R", "-c", "fast"],
    { env: bareEnvironment(), cwd: "/" },
  );
  if (copied.exitCode !== 0) throw new Error(`pg_basebackup: ${copied.stderr}`);
  const server = await runPostgres(programs, folder, data, thisMachine, ["fsync=off"]);
  const promote = async () => {
    const done = Bun.spawnSync([...unprivileged, join(programs, "pg_ctl"), "promote", "-w", "-D", data], {
      env: bareEnvironment(),
      cwd: "/",
    });
    if (done.exitCode !== 0) throw new Error(`pg_ctl promote: ${done.stderr}`);
  };
  return Object.assign(server, { promote });
}

function postgresFolder(): ReturnType<typeof temporaryFolder> {
  const folder = temporaryFolder();
  const user = postgresUser();
  if (user) chownSync(folder.path, user.uid, user.gid);
  return folder;
}

async function runPostgres(
  programs: string,
  folder: ReturnType<typeof temporaryFolder>,
  data: string,
  address: string,
  settings: readonly string[],
): Promise<Server> {
  const port = freePort();
  const given = [
    `listen_addresses=${address}`,
    `port=${port}`,
    `unix_socket_directories=${folder.path}`,
    "max_connections=300",
    ...settings,
  ].flatMap((setting) => ["-c", setting]);
  const begin = () =>
    Bun.spawn([...unprivileged, join(programs, "postgres"), "-D", data, ...given], {
      env: bareEnvironment(),
      cwd: "/",
      stdio: ["ignore", "ignore", "ignore"],
    });
  const ready = () =>
    until("Postgres answers", () => {
      if (child.exitCode !== null) throw new Error(`postgres ended with ${child.exitCode}`);
      return Bun.spawnSync([join(programs, "pg_isready"), "-h", address, "-p", String(port)]).exitCode === 0;
    });
  let child = begin();
  await ready();
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await child.exited;
  };
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) await end("SIGINT");
    folder[Symbol.dispose]();
  };
  return {
    url: `postgres://postgres@${address}:${port}/postgres`,
    get pid() {
      return child.pid;
    },
    kill: () => end("SIGQUIT"),
    async restart() {
      child = begin();
      await ready();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

const rabbitProgram = "/usr/lib/rabbitmq/bin/rabbitmq-server";
export const hasRabbit = () => existsSync(rabbitProgram);

export interface Rabbit extends Server {
  /** `rabbitmqctl ARGS`. */
  control(...args: string[]): string;
}

/** RabbitMQ without plugins. Its name server outlives it, so it is ended too. */
export async function startRabbit({ address = thisMachine } = {}): Promise<Rabbit> {
  if (!hasRabbit()) throw new Error("rabbitmq is missing: apt-get install -y rabbitmq-server");
  const folder = temporaryFolder();
  const [port, spread, names] = [freePort(), freePort(), freePort()];
  const plugins = join(folder.path, "enabled_plugins");
  await Bun.write(plugins, "[].");
  // Elsewhere its only user is let in from this machine only.
  const config = join(folder.path, "rabbitmq.conf");
  await Bun.write(config, "loopback_users = none\n");
  mkdirSync(join(folder.path, "log"));
  const env = bareEnvironment({
    HOME: folder.path,
    RABBITMQ_NODENAME: `restante${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: address,
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(spread),
    ERL_EPMD_PORT: String(names),
    ERL_EPMD_ADDRESS: "127.0.0.1",
    ERL_EPMD_RELAXED_COMMAND_CHECK: "1", // so that it may be ended
    RABBITMQ_MNESIA_BASE: join(folder.path, "mnesia"),
    RABBITMQ_LOG_BASE: join(folder.path, "log"),
    RABBITMQ_ENABLED_PLUGINS_FILE: plugins,
    RABBITMQ_CONF_ENV_FILE: "/dev/null",
    ...(address !== thisMachine && { RABBITMQ_CONFIG_FILE: config }),
  });
  const begin = () =>
    Bun.spawn(["setsid", rabbitProgram], { env, cwd: "/", stdio: ["ignore", "ignore", "ignore"] });
  const ready = () => until(`${address}:${port} answers`, () => answers(address, port));
  let child = begin();
  await ready();
  const end = async () => {
    process.kill(-child.pid, "SIGKILL");
    await child.exited;
    await until(`${address}:${port} no longer answers`, async () => !(await answers(address, port)));
  };
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) await end();
    Bun.spawnSync(["epmd", "-port", String(names), "-kill"], { stdout: "ignore" });
    rmSync(folder.path, { recursive: true, force: true });
  };
  return {
    url: `amqp://guest:guest@${address}:${port}`,
    get pid() {
      return child.pid;
    },
    kill: end,
    async restart() {
      child = begin();
      await ready();
    },
    control(...args) {
      const done = Bun.spawnSync(["/usr/lib/rabbitmq/bin/rabbitmqctl", "--quiet", ...args], {
        env,
        cwd: "/",
      });
      if (done.exitCode !== 0) throw new Error(`rabbitmqctl ${args.join(" ")}: ${done.stderr}${done.stdout}`);
      return done.stdout.toString();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

const answers = (hostname: string, port: number) =>
  Bun.connect({ hostname, port, socket: { data() {} } }).then(
    (socket) => {
      socket.end();
      return true;
    },
    () => false,
  );

/**
 * For a server that is started later, or goes away and comes back. It is below those that the system gives to whoever asks for any,
 * also to every connection: so it is not another's while nobody listens there.
 */
export function freePort(): number {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
      return port;
    } catch {
      // Somebody has it.
    }
  }
}
