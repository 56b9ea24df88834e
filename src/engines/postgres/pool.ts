/** Few connections for many calls: if all are in use, a call waits in a queue. */
import { InboxError } from "../../contract/errors.ts";
import type { EngineOptions } from "../engine.ts";
import type { Address } from "./address.ts";
import { reach } from "./connect.ts";
import { Connection, ConnectionLost, Silence } from "./connection.ts";
import { isLost } from "./errors.ts";

/** The maximum time that a call waits for a connection. */
const inLineMs = 10_000;

export interface Pool {
  /** Runs work with a connection, which is released afterwards, and closed if it was lost. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface PoolOptions extends Pick<EngineOptions, "spare" | "brief"> {
  /** After this time without use a connection is closed. */
  idleMs?: number;
}

/** `greet` is run first on every new connection. */
export function openPool(
  address: Address,
  greet: (connection: Connection) => Promise<void>,
  { idleMs, ...options }: PoolOptions = {},
): Pool {
  const idle: Connection[] = [];
  const open = new Set<Connection>();
  const line = new Line();
  const spares = sparesOf(options, address);
  let closing: (() => void) | undefined;
  let isClosed = false;
  let retiring: Timer | undefined;
  /** When a connection was last released without being lost. */
  let answered = performance.now();

  function made(url: string): Connection {
    const connection = spares.take(url) ?? new Connection(address, url);
    connection.onLost = () => {
      open.delete(connection);
      forget(connection, idle);
    };
    open.add(connection);
    return connection;
  }

  /** If no connection can be opened, waiting calls would wait in vain: they fail with the same error. */
  function tellLine(error: unknown): void {
    if (isLost(error)) line.failAll(error);
    else line.give(undefined);
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

  async function acquire(): Promise<Connection> {
    // A call after close() would open a connection that is never closed, or use one that was passed on to another pool.
    if (isClosed) throw new ConnectionLost("closed");
    clearTimeout(retiring);
    const ready = idle.pop();
    if (ready) return ready;
    if (open.size < address.connections) return connect();
    return (await line.wait(() => tooLong(address, answered))) ?? acquire();
  }

  function release(connection: Connection): void {
    if (!connection.lost) answered = performance.now();
    // A lost connection cannot be used, but its place is free for a new one.
    if (line.give(connection.lost ? undefined : connection)) return;
    if (!connection.lost) idle.push(connection);
    if (idleMs !== undefined) retiring = setTimeout(() => closeAll(idle), idleMs);
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
      isClosed = true;
      await Promise.all([...open].map(spares.end));
    },
  };
}

/** Idle connections of closed pools, for later ones. Without `spare` none is found, and all are closed. */
function sparesOf({ spare, brief }: PoolOptions, { schema }: Address) {
  const placeOf = (url: string) => `${url} ${schema}`;
  return {
    take(url: string): Connection | undefined {
      for (let left = spare?.take(placeOf(url)); left; left = spare?.take(placeOf(url)))
        if (left instanceof Connection && !left.lost) return left;
      return undefined;
    },
    async end(connection: Connection): Promise<void> {
      if (!spare) {
        const closed = connection.close();
        // The server notices that a command is gone. To hear from it that it has takes 2 ms.
        return brief ? undefined : closed;
      }
      connection.onLost = () => {};
      spare.leave(placeOf(connection.url), connection);
    },
  };
}

/** Removes a lost connection from the idle ones. */
function forget(connection: Connection, idle: Connection[]): void {
  const at = idle.indexOf(connection);
  if (at >= 0) idle.splice(at, 1);
  // The idle ones are connected to the same server: a call that used one would wait just as long again.
  if (connection.lost instanceof Silence) closeAll(idle);
}

function closeAll(idle: Connection[]): void {
  for (const connection of idle.splice(0)) void connection.close();
}

/** The error of a call that has waited too long; `answered`: when a connection last worked. */
const tooLong = ({ connections, shown }: Address, answered: number) =>
  performance.now() - answered < inLineMs
    ? new InboxError("busy", `all ${connections} connections to ${shown} are in use`)
    : new ConnectionLost(`no answer for ${inLineMs / 1000} s`);

interface Waiter {
  give(connection: Connection | undefined): void;
  fail(error: unknown): void;
}

/** Calls that wait for a connection, first come first served. */
class Line {
  readonly #waiters: Waiter[] = [];

  /** Undefined: there is room for a new connection. */
  async wait(tooLong: () => Error): Promise<Connection | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Connection | undefined>();
    const waiter: Waiter = { give: resolve, fail: reject };
    const timer = setTimeout(() => {
      this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
      reject(tooLong());
    }, inLineMs);
    this.#waiters.push(waiter);
    return promise.finally(() => clearTimeout(timer));
  }

  /** False if no call waits. */
  give(connection: Connection | undefined): boolean {
    const next = this.#waiters.shift();
    next?.give(connection);
    return next !== undefined;
  }

  failAll(error: unknown): void {
    for (const waiter of this.#waiters.splice(0)) waiter.fail(error);
  }
}
