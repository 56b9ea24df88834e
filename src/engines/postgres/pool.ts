/** Few connections for many calls: who comes when all are in use waits in line. */
import { InboxError } from "../../contract/errors.ts";
import type { Address } from "./address.ts";
import { reach } from "./connect.ts";
import { Connection, ConnectionLost, Silence } from "./connection.ts";
import { isLost } from "./errors.ts";

const patienceMs = 10_000;

export interface Pool {
  /** Lends a connection; it is given back when the work has ended, and thrown away if it was lost. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface Waiter {
  give(connection: Connection | undefined): void;
  fail(error: unknown): void;
}

/** `greet` is the first thing said on a new connection. One that nobody has used for `idleMs` is closed. */
export function openPool(
  address: Address,
  greet: (connection: Connection) => Promise<void>,
  idleMs?: number,
): Pool {
  const idle: Connection[] = [];
  const open = new Set<Connection>();
  const line: Waiter[] = [];
  let closing: (() => void) | undefined;
  let retiring: Timer | undefined;
  /** When a connection was last given back in order. */
  let answered = performance.now();

  function lost(connection: Connection): void {
    open.delete(connection);
    const at = idle.indexOf(connection);
    if (at >= 0) idle.splice(at, 1);
    if (!(connection.lost instanceof Silence)) return;
    // Those that lie here lead to the same server: whoever took one would wait as long again.
    for (const other of idle.splice(0)) void other.close();
  }

  function made(url: string): Connection {
    const connection = new Connection(address, url, lost);
    open.add(connection);
    return connection;
  }

  /** Those in line have nobody to wait for where nobody gets a connection. */
  function tellLine(error: unknown): void {
    if (!isLost(error)) return void line.shift()?.give(undefined);
    for (const waiter of line.splice(0)) waiter.fail(error);
  }

  async function connect(): Promise<Connection> {
    try {
      return await reach(address, made, greet);
    } catch (error) {
      tellLine(error);
      if (closing && idle.length === open.size) closing();
      throw error;
    }
  }

  function retire(): void {
    for (const connection of idle.splice(0)) void connection.close();
  }

  async function acquire(): Promise<Connection> {
    clearTimeout(retiring);
    const ready = idle.pop();
    if (ready) return ready;
    if (open.size < address.connections) return connect();
    const { promise, resolve, reject } = Promise.withResolvers<Connection | undefined>();
    const timer = setTimeout(() => {
      line.splice(line.indexOf(waiter), 1);
      reject(
        performance.now() - answered < patienceMs
          ? new InboxError("busy", `all ${address.connections} connections to ${address.shown} are in use`)
          : new ConnectionLost(`no answer for ${patienceMs / 1000} s`),
      );
    }, patienceMs);
    const waiter: Waiter = { give: resolve, fail: reject };
    line.push(waiter);
    return (await promise.finally(() => clearTimeout(timer))) ?? acquire();
  }

  function release(connection: Connection): void {
    if (!connection.lost) answered = performance.now();
    const next = line.shift();
    // A lost one is no use, but there is room for a new one now.
    if (next) return void next.give(connection.lost ? undefined : connection);
    if (!connection.lost) idle.push(connection);
    if (idleMs !== undefined) retiring = setTimeout(retire, idleMs);
    if (closing && idle.length === open.size) closing();
  }

  return {
    async use(work) {
      const connection = await acquire();
      const done = connection.watch();
      try {
        return await work(connection);
      } finally {
        done();
        release(connection);
      }
    },
    async close() {
      clearTimeout(retiring);
      if (idle.length < open.size) await new Promise<void>((done) => (closing = done));
      await Promise.all([...open].map((connection) => connection.close()));
    },
  };
}
