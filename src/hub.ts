/** The hub: one server process for one database. It creates the database by itself and stops gracefully. */
import { join } from "node:path";
import { createOwnBus } from "./admin/create-bus.ts";
import { InboxError } from "./contract/errors.ts";
import { blank, call, field, phrase, type Text, type Value } from "./contract/phrase.ts";
import { withoutPassword } from "./contract/secret.ts";
import type { Engine } from "./engines/engine.ts";
import { type NotifyOptions, openInbox } from "./inbox/inbox.ts";
import { supervise } from "./orch/supervisor.ts";
import type { Log } from "./service/hub-log.ts";
import { bindable, cannotListen, isOfSocket } from "./service/listen.ts";
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
  /** [U5] Where the journal of entries is (default: beside a database file). */
  dataDir?: string;
  /** [U15] Sends push notifications of what needs the person. */
  notify?: NotifyOptions;
  /** Lets anybody put entries into the person's inbox, to try the page. */
  dev?: boolean;
  /** [O5] What it logs: requests, its start and its end. */
  log?: Log;
  /** Where warnings go. */
  complain?: (message: Text) => void;
  /** Whether it looks after sub-agents (default: yes). Tests that say themselves when a task ends leave it out. */
  supervise?: boolean;
  /** The engine's clock; tests move it. */
  now?: () => number;
}

export interface Hub {
  url: string;
  /** Whether every request needs a token. */
  auth: boolean;
  /** What it serves, as people may see it. */
  db: string;
  /** The database did not exist. */
  created: boolean;
  /** The version of the schema that it knows. */
  schema: number;
  /** Why its database was away when it started; it serves as soon as that is there. */
  away?: InboxError;
  /** Until the database was met; rejected where it is not one that can be served. */
  met: Promise<void>;
  stop(): Promise<void>;
}

const againMs = 500;

export async function startHub(options: HubOptions): Promise<Hub> {
  const { db, port, host } = options;
  // A name that is not this machine's is what others call it by, through whatever stands in front of it.
  const from = [host, ...options.allowHosts].find((name) => !isLoopback(name));
  // [S2] What is refused for its address has made nothing.
  if (from !== undefined && (await isMissing(db)))
    throw openToEverybody(from, host, phrase`${call("bus.init")} creates the database, and `);
  await bindable(host, port);
  let created = false;
  const away = await createOwnBus(db, options.complain).then(
    (bus) => {
      created = bus.created;
      return undefined;
    },
    (error) => mayCome(error) ?? Promise.reject(error),
  );
  const folder = options.dataDir === undefined ? undefined : join(options.dataDir, "inbox");
  const journal = { folder, later: true, complain: options.complain };
  const inbox = openInbox(db, { now: options.now, delivery: options.delivery, supervised: true, journal });
  const ending = new AbortController();
  try {
    const auth = options.auth || from !== undefined;
    const check = async () => {
      // [X1] Without tokens it would be open to everybody who can reach it.
      if (from !== undefined && !(await inbox.hasTokens())) throw openToEverybody(from, host);
    };
    if (!away) await check();
    // Who holds the port is told on this machine only, and only where everybody on it may ask anything.
    const about = auth ? undefined : { db: withoutPassword(db), pid: process.pid };
    const limits = { ...usualLimits, ...options.limits };
    const server = startServer(inbox, {
      port,
      hostname: host,
      hosts: options.allowHosts,
      auth,
      limits,
      about,
      dev: options.dev ?? false,
      log: options.log,
    });
    const stopping = new AbortController();
    const met = away
      ? meet(db, stopping.signal).then((there) => (there ? check() : undefined))
      : Promise.resolve();
    met.catch(() => {}); // whoever started it is told
    const address = addressHere(host, server.url);
    const supervision =
      options.supervise === false ? undefined : superviseHere(inbox.engine, options, address, met);
    const tending = inbox.tend({ signal: ending.signal, complain: options.complain }, options.notify);
    return {
      url: server.url,
      db: withoutPassword(db),
      auth,
      created,
      schema: inbox.engine.knownSchema,
      away,
      met,
      stop: async () => {
        stopping.abort();
        await supervision?.stop();
        await server.stop();
        ending.abort();
        await tending;
        await inbox.close();
      },
    };
  } catch (error) {
    await inbox.close();
    throw isOfSocket(error) ? await cannotListen(error, host, port) : error;
  }
}

/** By which programs on this machine reach it. */
function addressHere(host: string, url: string): string {
  if (host !== "0.0.0.0" && host !== "::") return url;
  return `http://127.0.0.1:${new URL(url).port}`;
}

export interface Door {
  url: string;
  close(): Promise<void>;
}

/** [X12] A hub for one sub-agent, where tokens are used and no hub supervises: on loopback, and for those with a token only. */
export function openDoor(db: string, delivery?: string): Door {
  const inbox = openInbox(db, { delivery, remote: true });
  const server = startServer(inbox, {
    port: 0,
    hostname: "127.0.0.1",
    hosts: [],
    auth: true,
    limits: usualLimits,
    about: {},
  });
  return {
    url: server.url,
    close: async () => {
      await server.stop();
      await inbox.close();
    },
  };
}

/** A bus that there is not has no tokens. A server that is away may have some. */
async function isMissing(db: string): Promise<boolean> {
  let inbox: ReturnType<typeof openInbox> | undefined;
  try {
    inbox = openInbox(db);
    await inbox.hasTokens();
    return false;
  } catch (error) {
    return error instanceof InboxError && error.code === "not_initialized";
  } finally {
    await inbox?.close();
  }
}

const ofServe = (name: string, value?: Value) => field(name, value, "bus.serve");

const openToEverybody = (from: string, host: string, first: Text = "") =>
  new InboxError("not_allowed", `the hub would accept anyone who can reach ${from}: there is no token yet`, {
    hint: phrase`${first}${call("tokens.create", { agent: blank("NAME"), scope: "admin" })} creates one; or leave out ${ofServe(from === host ? "host" : "allowHost")}`,
  });

/** [Q7] A hub looks after the sub-agents of its database for as long as it runs; they outlive it. */
function superviseHere(
  engine: Engine,
  { db, delivery, complain }: HubOptions,
  url: string | null,
  met: Promise<void>,
) {
  const over = new AbortController();
  const env = process.env;
  const holder = crypto.randomUUID();
  const { signal } = over;
  const done = met.then(() =>
    supervise({ engine, db, delivery, url, env, holder, signal, complain, forever: true }),
  );
  done.catch(() => {}); // whoever started the hub is told
  return {
    stop: async () => {
      over.abort();
      await done.catch(() => {});
    },
  };
}

/** [G4] A server that is not running may be soon; anything else that is wrong is wrong for good. */
function mayCome(error: unknown): InboxError | undefined {
  if (!(error instanceof InboxError)) return undefined;
  return error.details?.away && !error.details.unknown ? error : undefined;
}

/** Whether it was met before the hub was stopped. */
async function meet(db: string, stop: AbortSignal): Promise<boolean> {
  for (;;) {
    await Bun.sleep(againMs);
    if (stop.aborted) return false;
    try {
      await createOwnBus(db);
      return true;
    } catch (error) {
      if (!(error instanceof InboxError && error.details?.away)) throw error;
    }
  }
}
