/** Hubs of an attack as child processes, each at a port of its own, which it has again when it was killed and started anew. */
import { bareEnvironment, program } from "../../support/cli.ts";
import { freePort } from "../../support/servers.ts";
import { until } from "../../support/until.ts";

export interface Hub {
  port: number;
  pid(): number;
  hasEnded(): boolean;
  signal(signal: NodeJS.Signals): void;
  /** Ends it at once. */
  kill(): Promise<void>;
  /** Asks it to end, and waits until it has. */
  end(): Promise<void>;
  /** Starts it again, perhaps with other variables; answers when it serves. */
  start(env?: Record<string, string>): Promise<void>;
}

export interface HubOptions {
  db: string;
  delivery?: string;
  env?: Record<string, string>;
  /** Told each time the process is a new one. */
  started?(pid: number): void;
}

export async function startHub({ db, delivery, env = {}, started }: HubOptions): Promise<Hub> {
  const port = freePort();
  const more = delivery === undefined ? [] : ["--delivery", delivery];
  const begin = (other: Record<string, string>) => {
    const made = Bun.spawn([program, "serve", "--port", String(port), "--json", "--db", db, ...more], {
      cwd: "/",
      env: bareEnvironment({ ...env, ...other }),
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    });
    started?.(made.pid);
    return made;
  };
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  /** Started again as a service manager would: one that finds no thread to start, or no room, ends. */
  const serving = () =>
    until(`the hub at port ${port} is ready`, async () => {
      if (hasEnded()) child = begin({});
      return fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2000) }).then(
        ({ ok }) => ok,
        () => false,
      );
    });
  let child = begin({});
  await serving();
  return {
    port,
    pid: () => child.pid,
    hasEnded,
    signal: (signal) => void child.kill(signal),
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
    },
    async end() {
      child.kill("SIGTERM");
      await child.exited;
    },
    async start(other = {}) {
      child = begin(other);
      await serving();
    },
  };
}
