/**
 * One connection to the server, which is never replaced under its user: the driver would quietly open another one in the
 * middle of a transaction, and what follows would be written without one. So each driver object has one connection, and
 * dies with it. Statements are sent without waiting for the one before; answers come in the same order.
 */
import type { Socket } from "node:net";
import type postgres from "postgres";
import type { Row } from "../../sql/procedure.ts";
import type { SqlValue } from "../../sql/sql.ts";
import type { Address } from "./address.ts";

// Required, not imported: what an import needs of the runtime (net, tls, crypto) is loaded by every command, 2 ms of it.
const loaded = require("postgres") as typeof postgres & { default?: typeof postgres };
const connectTo = loaded.default ?? loaded;

/** No statement, lock or idle transaction lasts longer: nobody may keep the others waiting. */
const settings = {
  // The same few statements again and again: planning them anew takes longer than running them. Each has its index; a plan
  // that was made while a table was empty must not walk through it when it is full.
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  jit: "off",
  statement_timeout: 10_000,
  lock_timeout: 5000,
  idle_in_transaction_session_timeout: 3000,
};
/** The server, too, ends what has fallen silent: else a cut-off hub's connections stay open there for hours. */
const serverPatience = {
  tcp_keepalives_idle: 15,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 30_000,
};
/** A statement without an answer after this time means that the server is lost, whatever its socket says. */
const deadlineMs = 15_000;
const connectSeconds = 5;

export class ConnectionLost extends Error {}
/** Nothing was refused and nothing was said: other connections to the same server are as dead as this one. */
export class Silence extends ConnectionLost {}

export class Connection {
  lost: Error | undefined;
  /** Which life of the server this is (fate.ts). */
  life: string | undefined;
  private readonly driver: postgres.Sql;
  private readonly prepare: boolean;
  private dialled = false;
  private socket: Socket | undefined;

  constructor(
    { urls, schema, pooled }: Address,
    readonly url = urls[0]!,
    /** Told once, when it is of no use any more. */
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
      // A pooler refuses settings it does not know; there they are made in each transaction.
      connection: pooled
        ? { application_name: "restante" }
        : { application_name: "restante", search_path: `"${schema}"`, ...settings, ...serverPatience },
      socket: () => this.dial(),
      types: { number: { to: 20, from: [20], parse: Number, serialize: String } },
      ...(onNotify && { onnotify: onNotify }),
    } as postgres.Options<Record<string, postgres.PostgresType>>);
  }

  /** The driver dials again by itself, also after its end. A second connection would never be closed, or be used without its transaction. */
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
      // An error of the server's has a code of five characters; all others end the connection.
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

  /** Ends the connection if the answer to `stop` is not called in time: a cut cable is silent. */
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

/** Without parameters the driver would have it parsed and planned anew each time; the others are no queries and need neither. */
const isQuery = (text: string) => /^\s*(select|with|insert|update|delete)\b/i.test(text);

/** What a pooled transaction begins with, since its connection keeps nothing. */
export const pooledSettings = ({ schema }: Address) =>
  [`search_path = "${schema}"`, ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`)]
    .map((setting) => `set local ${setting};`)
    .join(" ");

/** A pooler's errors have only the older of the two fields. */
export const isServerError = (error: unknown): error is { code: string; message: string } =>
  error instanceof Error &&
  "severity_local" in error &&
  /^[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code));
