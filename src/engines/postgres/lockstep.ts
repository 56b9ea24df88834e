/**
 * Several procedures in one transaction, step by step together: each goes on until it has to wait for rows, then all their
 * statements are sent at once, then all answers are awaited. A statement that goes alone costs a system call here and
 * there, and that is most of its price; and they share `begin`, the clock, the locks, and one commit with its fsync.
 *
 * Who shares a transaction sees what the others have not committed, and is not stopped by their row locks. So what must be
 * one's own is said (`own`), and a procedure waits where another one of the same transaction has it. The locks of `lock`
 * need no such care: they put numbers in order for readers, and those who commit together become visible together.
 */
import { type Procedure, Refused, type Row } from "../../sql/procedure.ts";
import type { Sql, SqlValue } from "../../sql/sql.ts";
import type { EngineOptions, Work } from "../engine.ts";
import type { Facts } from "../facts.ts";
import type { Address } from "./address.ts";
import { type Connection, pooledSettings } from "./connection.ts";
import {
  clockQuery,
  clockText,
  contextOf,
  lockText,
  type Noted,
  type Shared,
  settledEvent,
  tryAgain,
} from "./context.ts";
import { isLost } from "./errors.ts";
import type { Trace } from "./fate.ts";
import { hashOf } from "./hash.ts";
import { isOrdered } from "./ordered.ts";

export type Outcome = { value: unknown } | { error: unknown };

export interface Ended extends Noted {
  outcome: Outcome;
}

/** One of several cannot be undone alone: all are undone, and run one by one. */
export class Entangled extends Error {}

/** The commit was sent and its answer never came. */
export class Unsettled extends Error {
  constructor(
    readonly ended: Ended[],
    readonly trace: Trace,
    cause: unknown,
  ) {
    super("the connection broke while committing", { cause });
  }
}

interface Running extends Noted {
  procedure: Procedure<unknown>;
  rows: Row[];
  wrote: boolean;
  outcome?: Outcome;
}

export interface Setting {
  address: Address;
  facts: Facts;
  options: EngineOptions;
}

const placeholder = (index: number) => `$${index}`;
/** Together they wait for others' locks only a moment: they hold many of their own. */
const togetherWaitMs = 250;

export async function lockstep(
  connection: Connection,
  { address, facts, options }: Setting,
  mode: "read" | "write",
  works: readonly Work<unknown>[],
): Promise<Ended[]> {
  const writes = mode === "write";
  const shared: Shared = { owners: new Map(), wanted: new Set(), locked: new Set() };
  let failure: unknown;
  let xid: string | undefined;
  let begun = false;

  const send = (text: string, values: readonly SqlValue[] = []): Promise<Row[]> => {
    const rows = connection.run(text, values);
    rows.catch((error) => {
      failure ??= error;
    });
    return rows;
  };

  function begin(): void {
    if (begun) return;
    begun = true;
    void send(writes ? "begin" : "begin isolation level repeatable read, read only");
    if (address.pooled) void connection.script(pooledSettings(address)).catch(() => {});
    if (writes && works.length > 1) void send(`set local lock_timeout = ${togetherWaitMs}`);
  }

  const all: Running[] = works.map((work) => {
    const noted = { topics: new Set<string>(), learnt: new Map<string, string>() };
    const running = { ...noted, rows: [], wrote: false } as unknown as Running;
    running.procedure = work(contextOf(shared, running, facts, writes, options)) as Procedure<unknown>;
    return running;
  });

  /** One step of everybody: what they want to know is sent, and answered when this resolves. False when nobody is left. */
  async function step(active: readonly Running[]): Promise<void> {
    const statements: { text: string; values: SqlValue[]; running?: Running }[] = [];
    const clocks: Running[] = [];
    const horizons: Running[] = [];
    let moved = false;
    for (const running of active) {
      const waits = advance(running, (statement) => {
        const { text, values } = statement.flatten(placeholder);
        if (writes && !/^\s*select/i.test(text)) running.wrote = true;
        statements.push({ text, values, running: statement.blind ? undefined : running });
      });
      if (waits === clockQuery) clocks.push(running);
      if (waits === settledEvent) horizons.push(running);
      moved ||= waits !== tryAgain;
    }
    if (!moved) throw new Entangled();
    if (horizons.length && begun && !writes)
      throw new Error("what is settled must be asked before anything else is read");
    const answers: Promise<unknown>[] = [];
    const give = (rows: Promise<Row[]>, to: readonly Running[]) =>
      answers.push(
        rows.then((found) => {
          for (const running of to) running.rows = found;
        }),
      );
    // [G2] The newest number first, then who still runs, then the rows: any other order could miss one.
    if (horizons.length) {
      if (writes) begin();
      const in_ = address.pooled ? `"${address.schema}".` : "";
      give(send(`select ${in_}settled_event() as last`), horizons);
    }
    if (statements.length || clocks.length || shared.wanted.size) begin();
    if (shared.wanted.size) {
      const numbers = [...shared.wanted].sort((a, b) => a - b);
      for (const number of numbers) shared.locked.add(number);
      shared.wanted.clear();
      void send(lockText, [hashOf(address.schema) >>> 1, `{${numbers.join(",")}}`]);
    }
    for (const { text, values, running } of statements) {
      const rows = send(text, values);
      const turned = options.reverseUnordered && !isOrdered(text);
      if (running) give(turned ? rows.then((found) => found.toReversed()) : rows, [running]);
    }
    // Last, so that it is later than every lock.
    if (clocks.length) {
      const now = send(clockText[mode]);
      give(now, clocks);
      answers.push(
        now.then(([row]) => {
          xid = (row?.xid as string | undefined) ?? xid;
        }),
      );
    }
    if (answers.length) await Promise.all(answers);
  }

  /** Until it waits for rows; what it waits for is answered. */
  function advance(running: Running, emit: (statement: Sql) => void): Sql | undefined {
    for (;;) {
      let next: IteratorResult<Sql, unknown>;
      try {
        next = running.procedure.next(running.rows);
      } catch (error) {
        running.outcome = { error };
        // What it wrote cannot be undone without undoing the others'.
        if (running.wrote && all.length > 1) throw new Entangled();
        if (running.wrote) throw error;
        return release(running);
      }
      running.rows = [];
      if (next.done) {
        const { value } = next;
        running.outcome = value instanceof Refused ? { error: value.error } : { value };
        return release(running);
      }
      const statement = next.value;
      if (statement === clockQuery || statement === settledEvent || statement === tryAgain) return statement;
      emit(statement);
      if (!statement.blind) return statement;
    }
  }

  function release(running: Running): undefined {
    for (const [name, owner] of shared.owners) if (owner === running) shared.owners.delete(name);
  }

  const ended = () => all as unknown as Ended[];
  try {
    for (let active = all; active.length; active = all.filter(({ outcome }) => !outcome)) await step(active);
    if (failure) throw failure;
  } catch (error) {
    if (begun) void send("rollback");
    // A statement that nobody waited for broke the transaction, and the next one only complained of that.
    throw failure ?? error;
  }
  if (!begun) return ended();
  const committed = send("commit");
  // A read has nothing to keep, and nobody needs to wait for its end.
  if (!writes) return ended();
  try {
    await committed;
  } catch (error) {
    if (isLost(error)) throw new Unsettled(ended(), { xid, life: connection.life }, error);
    throw failure ?? error;
  }
  // The commit of a broken transaction is a rollback, and no error.
  if (failure) throw failure;
  return ended();
}
