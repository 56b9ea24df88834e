/**
 * The engines the contract suite runs on: a new one is a new entry here. [G6] Of each database one column turns around what a
 * statement without `order by` finds, and the other (hub, rabbitmq) takes it as it comes: a list that has no order of its own
 * cannot be right in both.
 */
import { join } from "node:path";
import type { Engine } from "../../src/engines/engine.ts";
import { startHub } from "../../src/hub.ts";
import { type EmbeddedInbox, type Inbox, type InboxOptions, openInbox } from "../../src/inbox/inbox.ts";
import { connect } from "../../src/surfaces/client/client.ts";
import { temporaryFolder } from "./folder.ts";
import { freshDatabase } from "./fresh-bus.ts";
import { postgresUrl, temporarySchema } from "./postgres.ts";
import { postgresPrograms } from "./servers.ts";
import { spareConnections } from "./spare.ts";

export interface Bench {
  inbox: Inbox;
  /** The database itself, past every surface: for what only a supervisor does. */
  engine: Engine;
  /** Where it is, for programs. */
  location: string;
  /** Another connection to the same bus, as another process would have. */
  another(): Inbox;
  /** Moves the engine's clock. */
  pass(seconds: number): void;
  /** Stops the engine's clock: from here on only `pass` moves it. */
  freeze(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TestedEngine {
  name: string;
  start(): Promise<Bench>;
}

/** A clock that tests move. */
function movable() {
  let offset = 0;
  let frozen: number | undefined;
  return {
    now: () => (frozen ?? Date.now()) + offset,
    pass: (seconds: number) => {
      offset += seconds * 1000;
    },
    freeze: () => {
      frozen = Date.now();
    },
  };
}

async function startSqlite(): Promise<Bench> {
  const folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  freshDatabase(path);
  const { now, pass, freeze } = movable();
  const opened: EmbeddedInbox[] = [];
  const another = () => {
    const inbox = openInbox(path, { now, reverseUnordered: true });
    opened.push(inbox);
    return inbox;
  };
  const inbox = another();
  return {
    inbox,
    engine: inbox.engine,
    location: path,
    another,
    pass,
    freeze,
    [Symbol.asyncDispose]: async () => {
      for (const inbox of opened) await inbox.close();
      folder[Symbol.dispose]();
    },
  };
}

/** A schema of its own on the tests' server, under a role that owns nothing. Each inbox has a pool, as another process would; connections go from test to test. */
const startPostgres = (): Promise<Bench> =>
  startServer({ reverseUnordered: true }, { leastPrivilege: postgresPrograms() !== undefined });

/** The same with mail carried by RabbitMQ, in queues of its own: their names begin with the bus's id. */
const startCarried = (): Promise<Bench> => startServer({ delivery: rabbitUrl });

async function startServer(options: InboxOptions, { leastPrivilege = false } = {}): Promise<Bench> {
  const place = await temporarySchema({ leastPrivilege });
  const { now, pass, freeze } = movable();
  const opened: EmbeddedInbox[] = [];
  const another = () => {
    const inbox = openInbox(place.url, { now, spare: spareConnections, ...options });
    opened.push(inbox);
    return inbox;
  };
  const inbox = another();
  return {
    inbox,
    engine: inbox.engine,
    location: place.url,
    another,
    pass,
    freeze,
    [Symbol.asyncDispose]: async () => {
      for (const inbox of opened) await inbox.close();
      place[Symbol.dispose]();
    },
  };
}

/** A hub on a port of its own, and clients that speak to it over HTTP. */
async function startRemote(): Promise<Bench> {
  const folder = temporaryFolder();
  const { now, pass, freeze } = movable();
  const db = join(folder.path, "coord.db");
  freshDatabase(db);
  const hub = await startHub({
    db,
    port: 0,
    host: "127.0.0.1",
    allowHosts: [],
    auth: false,
    supervise: false,
    now,
  });
  const another = () => connect(hub.url) as Inbox;
  const { engine } = openInbox(db, { now, supervised: true });
  return {
    inbox: another(),
    engine,
    location: hub.url,
    another,
    pass,
    freeze,
    [Symbol.asyncDispose]: async () => {
      await engine.close();
      await hub.stop();
      folder[Symbol.dispose]();
    },
  };
}

const rabbitUrl = process.env.TEST_RABBITMQ || undefined;

export const engines: TestedEngine[] = [
  { name: "sqlite", start: startSqlite },
  { name: "hub", start: startRemote },
  ...(postgresUrl ? [{ name: "postgres", start: startPostgres }] : []),
  ...(postgresUrl && rabbitUrl ? [{ name: "rabbitmq", start: startCarried }] : []),
];
if (!rabbitUrl) console.warn("SKIPPED: everything with RabbitMQ, for TEST_RABBITMQ names no broker");
if (!postgresUrl) console.warn("SKIPPED: everything on Postgres, for TEST_POSTGRES names no server");
