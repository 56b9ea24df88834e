/** PgBouncer before a server, giving a connection to each transaction: a process of its own, as unprivileged as the server. */
import { chownSync } from "node:fs";
import { join } from "node:path";
import { bareEnvironment } from "./cli.ts";
import { temporaryFolder } from "./folder.ts";
import { freePort } from "./servers.ts";
import { until } from "./until.ts";

const program = "/usr/sbin/pgbouncer";
export const hasPgbouncer = await Bun.file(program).exists();

export interface Pooler {
  /** The server's address, through the pooler. */
  url: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** `waitSeconds`: the longest that anybody waits for one of its connections to the server. */
export async function startPgbouncer(server: string, { waitSeconds = 30 } = {}): Promise<Pooler> {
  const { hostname, port } = new URL(server);
  const folder = temporaryFolder();
  const own = freePort();
  const [users, settings] = [join(folder.path, "users.txt"), join(folder.path, "pgbouncer.ini")];
  await Bun.write(users, '"postgres" ""\n');
  await Bun.write(
    settings,
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = 5
max_client_conn = 200
query_wait_timeout = ${waitSeconds}
`,
  );
  const root = process.getuid?.() === 0;
  if (root) {
    const number = (flag: string) => Number(Bun.spawnSync(["id", flag, "postgres"]).stdout.toString());
    for (const path of [folder.path, users, settings]) chownSync(path, number("-u"), number("-g"));
  }
  // It refuses to run as root, as the server does; and it ends with us, whatever becomes of the test.
  const unprivileged = root ? ["--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];
  const command = ["setpriv", "--pdeathsig=KILL", ...unprivileged, program, "--quiet", settings];
  const child = Bun.spawn(command, {
    env: bareEnvironment(),
    cwd: "/",
    stdio: ["ignore", "ignore", "ignore"],
  });
  await until("pgbouncer answers", async () => {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`);
    return Bun.connect({ hostname: "127.0.0.1", port: own, socket: { data() {} } }).then(
      (socket) => {
        socket.end();
        return true;
      },
      () => false,
    );
  });
  const url = new URL(server);
  url.port = String(own);
  return {
    url: url.href,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
      folder[Symbol.dispose]();
    },
  };
}
