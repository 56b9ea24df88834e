/** The hub: one server process for one database. It creates the database by itself and stops gracefully. */
import { join } from "node:path";
import { InboxError } from "./contract/errors.ts";
import { createBus, shown } from "./engines/at.ts";
import { openInbox } from "./inbox.ts";
import { isLoopback, type Limits, usualLimits } from "./surfaces/http/guard.ts";
import { startServer } from "./surfaces/http/server.ts";

export interface HubOptions {
  db: string;
  port: number;
  host: string;
  /** Further names it is called by. */
  allowHosts: readonly string[];
  auth: boolean;
  limits?: Partial<Limits>;
  /** The broker that carries mail, if any. */
  delivery?: string;
  /** [U5] Where the journal of entries is, if the database is no file. */
  dataDir?: string;
  /** Lets anybody put entries into the person's inbox, to try the page. */
  dev?: boolean;
  /** Where warnings go. */
  complain?: (message: string) => void;
  /** The engine's clock; tests move it. */
  now?: () => number;
}

export interface Hub {
  url: string;
  /** What it serves, as people may see it. */
  db: string;
  stop(): Promise<void>;
}

export async function startHub(options: HubOptions): Promise<Hub> {
  const { db, port, host } = options;
  await createBus(db);
  const folder = options.dataDir === undefined ? undefined : join(options.dataDir, "inbox");
  const journal = { folder, later: true, complain: options.complain };
  const inbox = openInbox(db, { now: options.now, delivery: options.delivery, journal });
  const ending = new AbortController();
  try {
    const auth = options.auth || !isLoopback(host);
    // [X1] Another address without tokens would be open to everybody who can reach it.
    if (!isLoopback(host) && !(await inbox.hasTokens()))
      throw new InboxError(
        "not_allowed",
        `the hub would be open to everybody who reaches ${host}: there is no token yet`,
        {
          hint: "inbox token create --agent NAME --scope admin makes one; or leave out --host",
        },
      );
    // Who holds the port is told on this machine only.
    const about = isLoopback(host) ? { db: shown(db), pid: process.pid } : {};
    const limits = { ...usualLimits, ...options.limits };
    const server = startServer(inbox, {
      port,
      hostname: host,
      hosts: options.allowHosts,
      auth,
      limits,
      about,
      dev: options.dev ?? false,
    });
    const tending = inbox.tend(ending.signal);
    return {
      url: server.url,
      db: shown(db),
      stop: async () => {
        await server.stop();
        ending.abort();
        await tending;
        await inbox.close();
      },
    };
  } catch (error) {
    await inbox.close();
    if ((error as { code?: string }).code === "EADDRINUSE") throw await whoHolds(host, port);
    throw error;
  }
}

/** A second hub on the same port is told what holds it. */
async function whoHolds(host: string, port: number): Promise<InboxError> {
  const hint = "stop that one, or take another port with --port N";
  try {
    const answer = await fetch(`http://${host}:${port}/healthz`, { signal: AbortSignal.timeout(1000) });
    const { program, pid, db } = (await answer.json()) as { program?: string; pid?: number; db?: string };
    if (program === "restante")
      return new InboxError(
        "storage",
        `port ${port} is held by another hub (process ${pid}, database ${db})`,
        { hint },
      );
  } catch {
    // Something else, that does not speak our language.
  }
  return new InboxError("storage", `port ${port} on ${host} is held by another program`, { hint });
}
