/** Few connections for many calls: who comes when all are in use waits in line. */
import { InboxError } from "../../contract/errors.ts";
import type { Address } from "./address.ts";
import { Connection } from "./connection.ts";

const patienceMs = 10_000;

export interface Pool {
  /** Lends a connection; it is given back when the work has ended, and thrown away if it was lost. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface Waiter {
  give(connection: Connection): void;
  refuse(error: unknown): void;
  timer: Timer;
}

/** `greet` is the first thing said on a new connection. */
export function openPool(address: Address, greet: (connection: Connection) => Promise<void>): Pool {
  const idle: Connection[] = [];
  const open = new Set<Connection>();
  const line: Waiter[] = [];
  let closing: (() => void) | undefined;

  function lost(connection: Connection): void {
    open.delete(connection);
    const at = idle.indexOf(connection);
    if (at >= 0) idle.splice(at, 1);
  }

  async function connect(): Promise<Connection> {
    const connection = new Connection(address, lost);
    open.add(connection);
    try {
      const done = connection.watch();
      await greet(connection).finally(done);
      return connection;
    } catch (error) {
      lost(connection);
      void connection.close();
      // Nobody is left who could give them one: they would meet the same.
      if (!open.size) for (const waiter of line.splice(0)) waiter.refuse(error);
      if (closing && idle.length === open.size) closing();
      throw error;
    }
  }

  async function acquire(): Promise<Connection> {
    const ready = idle.pop();
    if (ready) return ready;
    if (open.size < address.connections) return connect();
    const { promise, resolve, reject } = Promise.withResolvers<Connection | undefined>();
    const waiter: Waiter = {
      give: resolve,
      refuse(error) {
        clearTimeout(waiter.timer);
        reject(error);
      },
      timer: setTimeout(() => {
        line.splice(line.indexOf(waiter), 1);
        reject(
          new InboxError("busy", `all ${address.connections} connections to ${address.shown} are in use`),
        );
      }, patienceMs),
    };
    line.push(waiter);
    return (await promise) ?? acquire();
  }

  function release(connection: Connection): void {
    const next = line.shift();
    if (next) {
      clearTimeout(next.timer);
      // A lost one is no use, but there is room for a new one now.
      next.give(connection.lost ? (undefined as never) : connection);
      return;
    }
    if (!connection.lost) idle.push(connection);
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
      if (idle.length < open.size) await new Promise<void>((done) => (closing = done));
      await Promise.all([...open].map((connection) => connection.close()));
    },
  };
}
