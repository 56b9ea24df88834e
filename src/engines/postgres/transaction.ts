/**
 * Runs one procedure in one transaction. A statement whose rows nobody looks at is sent without waiting for the one before
 * it, and so are `begin` and the locks: most of a short transaction's time would else be spent waiting for the wire.
 */
import { type Context, one, type Procedure, type Refused, type Row, run } from "../../sql/procedure.ts";
import { fragment, nothing, Sql, sql } from "../../sql/sql.ts";
import type { EngineOptions, Work } from "../engine.ts";
import type { Address } from "./address.ts";
import { type Connection, pooledSettings } from "./connection.ts";
import { isLost } from "./errors.ts";
import type { Trace } from "./fate.ts";
import { hashOf } from "./hash.ts";

/** The commit was sent and its answer never came. */
export class Unsettled extends Error {
  constructor(
    readonly committed: Committed<unknown>,
    readonly trace: Trace,
    cause: unknown,
  ) {
    super("the connection broke while committing", { cause });
  }
}

export interface Committed<T> {
  value: T | Refused;
  topics: Set<string>;
}

const placeholder = (index: number) => `$${index}`;
const settledEvent = fragment`select settled_event() as last`;
const time = `to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now`;
const readClock = new Sql([`select ${time}`], []);
const writeClock = new Sql([`select ${time}, pg_current_xact_id()::text as xid`], []);
const forUpdate = fragment`for update`;
const forUpdateFree = fragment`for update skip locked`;
/** So many locks for all names: a message to ten thousand agents must not fill the server's table of them. */
const lockCount = 2048;

interface Noted {
  topics: Set<string>;
  xid?: string;
}

function contextOf(address: Address, { now }: EngineOptions, writes: boolean, noted: Noted): Context {
  const locked = new Set<number>();
  return {
    *clock(): Procedure<string> {
      if (now) return new Date(now()).toISOString();
      const row = yield* one<{ now: string; xid?: string }>(writes ? writeClock : readClock);
      noted.xid = row!.xid;
      return row!.now;
    },
    forUpdate: writes ? forUpdate : nothing,
    forUpdateFree: writes ? forUpdateFree : nothing,
    rivals: 16,
    *lock(...names): Procedure<void> {
      const numbers = new Set(names.map((name) => hashOf(name) % lockCount));
      const wanted = [...numbers.difference(locked)].sort((a, b) => a - b);
      if (!wanted.length) return;
      for (const number of wanted) locked.add(number);
      // In one order, so that two who want the same ones do not wait for each other.
      yield* run(sql`
        select pg_advisory_xact_lock(${hashOf(address.schema) >>> 1}, number)
        from unnest(${`{${wanted.join(",")}}`}::integer[]) as number`);
    },
    *settled(): Procedure<number> {
      return (yield* one<{ last: number }>(settledEvent))!.last;
    },
    verified: false,
    wake: (topic) => noted.topics.add(topic),
  };
}

/** Statements on a connection, in order; the first that fails is remembered, also if nobody waited for it. */
function sender(connection: Connection) {
  const sent = {
    failure: undefined as unknown,
    send(text: string, values: Parameters<Connection["run"]>[1] = []): Promise<Row[]> {
      const rows = connection.run(text, values);
      rows.catch((error) => {
        sent.failure ??= error;
      });
      return rows;
    },
  };
  return sent;
}

async function drive<T>(
  procedure: Procedure<T | Refused>,
  answer: (statement: Sql, text: string, values: Parameters<Connection["run"]>[1]) => Promise<Row[]>,
): Promise<T | Refused> {
  let step = procedure.next();
  while (!step.done) {
    const statement = step.value;
    const { text, values } = statement.flatten(placeholder);
    const rows = answer(statement, text, values);
    step = procedure.next(statement.blind ? [] : await rows);
  }
  return step.value;
}

/** Several statements see one state of the database; only the settled event is asked before it ([G2]). */
export async function read<T>(
  connection: Connection,
  address: Address,
  work: Work<T>,
  options: EngineOptions,
): Promise<T | Refused> {
  const { send } = sender(connection);
  const tx = contextOf(address, options, false, { topics: new Set() });
  let begun = false;
  const begin = () => {
    begun = true;
    void send("begin isolation level repeatable read, read only");
    if (address.pooled) void connection.script(pooledSettings(address)).catch(() => {});
  };
  try {
    return await drive(work(tx), (statement, text, values) => {
      if (statement === settledEvent) {
        if (begun) throw new Error("what is settled must be asked before anything else is read");
        // The newest number first, then who still runs, then the rows: any other order could miss one.
        if (!address.pooled) return send(text, values);
        return send(text.replace("settled_event", `"${address.schema}".settled_event`), values);
      }
      if (!begun) begin();
      return send(text, values);
    });
  } finally {
    if (begun) void send("commit");
  }
}

export async function write<T>(
  connection: Connection,
  address: Address,
  work: Work<T>,
  options: EngineOptions,
): Promise<Committed<T>> {
  const sent = sender(connection);
  const noted: Noted = { topics: new Set() };
  void sent.send("begin");
  if (address.pooled) void connection.script(pooledSettings(address)).catch(() => {});
  let value: T | Refused;
  try {
    value = await drive(work(contextOf(address, options, true, noted)), (_, text, values) =>
      sent.send(text, values),
    );
  } catch (error) {
    void sent.send("rollback");
    // A statement that nobody waited for broke the transaction, and the next one only complained of that.
    throw sent.failure ?? error;
  }
  const committed = { value, topics: noted.topics };
  try {
    await sent.send("commit");
  } catch (error) {
    if (isLost(error))
      throw new Unsettled(committed, { xid: noted.xid, timeline: connection.timeline }, error);
    throw sent.failure ?? error;
  }
  // The commit of a broken transaction is a rollback, and no error.
  if (sent.failure) throw sent.failure;
  return committed;
}
