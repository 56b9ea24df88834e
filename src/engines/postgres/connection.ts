/**
 * One connection to the server, which is never replaced while it is in use: the driver would silently open another one in
 * the middle of a transaction, and the following statements would run outside of it. So each driver object has one
 * connection, and ends with it. Statements are sent without waiting for the one before; answers come in the same order.
 */
import type { Socket } from "node:net";
import type postgres from "postgres";
import type { Row } from "../../sql/procedure.ts";
import type { SqlValue } from "../../sql/sql.ts";
import type { Address } from "./address.ts";

// Required, not imported: an import would load net, tls and crypto in every command, which takes 2 ms.
const loaded = require("postgres") as typeof postgres & { default?: typeof postgres };
const connectTo = loaded.default ?? loaded;

/** Limits for statements, locks and idle transactions, so that no call blocks others for long. */
const settings = {
  // The same few statements are run again and again, and planning them takes longer than running them. Each has its index;
  // a plan that was made while a table was empty must not scan it when it is full.
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  jit: "off",
  statement_timeout: 10_000,
  lock_timeout: 5000,
  idle_in_transaction_session_timeout: 3000,
};
/** The server also ends silent connections: otherwise those of a disconnected hub stay open there for hours. */
const serverPatience = {
  tcp_keepalives_idle: 15,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 30_000,
};
/** If a statement has no answer after this time, the connection counts as lost, whatever the state of its socket. */
const deadlineMs = 15_000;
const connectSeconds = 5;

export class ConnectionLost extends Error {}
/** The server does not answer at all: other connections to it are as dead as this one. */
export class Silence extends ConnectionLost {}

/** The server's process for a connection. */
export interface Session {
  pid: number;
  /** When it was started, in seconds: another one may have the same number later. As a time it would depend on the session's zone. */
  since: string;
}

export class Connection {
  lost: Error | undefined;
  session: Session | undefined;
  /** Which life of the server this is (fate.ts). */
  life: string | undefined;
  private readonly driver: postgres.Sql;
  private readonly prepare: boolean;
  private dialled = false;
  private socket: Socket | undefined;

  constructor(
    { urls, schema, pooled }: Address,
    readonly url = urls[0]!,
    /** Called once, when it can no longer be used. */
    public onLost: (connection: Connection) => void = () => {},
    onNotify?: (channel: string, payload: string) => void,
  ) {
    this.prepare = !pooled;
    this.driver = connectTo(url, {
      max: 1,
      prepare: this.prepare,
      fetch_types: false,
      max_lifetime: null,
      connect_timeout: connectSeconds,
      keep_alive: 10,
      backoff: () => 0,
      onnotice: () => {},
      onclose: () => this.lose(new ConnectionLost("the server closed the connection")),
      // A pooler refuses settings it does not know; with one, they are set in each transaction.
      connection: pooled
        ? { application_name: "restante" }
        : { application_name: "restante", search_path: `"${schema}"`, ...settings, ...serverPatience },
      socket: () => this.dial(),
      types: { number: { to: 20, from: [20], parse: Number, serialize: String } },
      ...(onNotify && { onnotify: onNotify }),
    } as postgres.Options<Record<string, postgres.PostgresType>>);
  }

  /** The driver reconnects by itself, even after it was ended. A second connection would never be closed, or be used outside of the transaction. */
  private async dial(): Promise<Socket> {
    const { connect } = require("node:net") as typeof import("node:net");
    type Target = { path?: string; host: string[]; port: number[] };
    const { path, host, port } = this.driver.options as unknown as Target;
    const hungUp = new ConnectionLost("the server closed the connection unexpectedly");
    if (this.dialled || this.lost) throw this.lost ?? hungUp;
    this.dialled = true;
    const socket = path ? connect(path) : connect({ host: host[0]!, port: port[0]! });
    this.socket = socket;
    try {
      await new Promise((connected, failed) => {
        socket
          .once("connect", connected)
          .once("error", failed)
          .once("close", () => failed(hungUp));
        socket.setTimeout(connectSeconds * 1000, () => failed(new Silence("it does not answer")));
      });
      socket.setTimeout(0);
      if (this.lost) throw this.lost;
      return socket;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  async run(text: string, values: readonly SqlValue[] = []): Promise<Row[]> {
    if (this.lost) throw this.lost;
    try {
      const options = { prepare: this.prepare, simple: !values.length && !isQuery(text) };
      return await this.driver.unsafe<Row[]>(text, values as SqlValue[], options);
    } catch (error) {
      // An error from the server has a code of five characters; all others end the connection.
      if (isServerError(error)) throw error;
      this.lose(error as Error);
      throw this.lost;
    }
  }

  /** The types of a statement's parameters, as numbers of the server's catalogue. */
  async parameterTypes(text: string): Promise<number[]> {
    const { types } = (await this.driver.unsafe(text).describe()) as unknown as { types: number[] };
    return types;
  }

  /** Several statements in one text, without values. */
  async script(text: string): Promise<void> {
    if (this.lost) throw this.lost;
    await this.driver.unsafe(text).simple();
  }

  /** Ends the connection unless the returned function is called in time: a cut cable causes no error. */
  watch(): () => void {
    const timer = setTimeout(() => {
      this.lose(new Silence(`no answer for ${deadlineMs / 1000} s`));
      void this.driver.end({ timeout: 0 });
    }, deadlineMs);
    return () => clearTimeout(timer);
  }

  async close(): Promise<void> {
    if (!this.lost) {
      this.lost = new ConnectionLost("closed");
      this.onLost(this);
    }
    await this.driver.end({ timeout: 1 }).catch(() => {});
  }

  private lose(error: Error): void {
    if (this.lost) return;
    this.lost = error instanceof ConnectionLost ? error : new ConnectionLost(error.message, { cause: error });
    void this.driver.end({ timeout: 0 }).catch(() => {});
    this.socket?.destroy();
    this.onLost(this);
  }
}

/** As simple queries, the driver would have these parsed and planned each time; other statements need no plan. */
const isQuery = (text: string) => /^\s*(select|with|insert|update|delete)\b/i.test(text);

/** The settings at the start of a pooled transaction, because its connection keeps none. */
export const pooledSettings = ({ schema }: Address) =>
  [`search_path = "${schema}"`, ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`)]
    .map((setting) => `set local ${setting};`)
    .join(" ");

/** A pooler's errors have only the older of the two fields. */
export const isServerError = (error: unknown): error is { code: string; message: string } =>
  error instanceof Error &&
  "severity_local" in error &&
  /^[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code));
