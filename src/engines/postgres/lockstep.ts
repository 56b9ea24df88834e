/**
 * Runs several procedures in one transaction, in lockstep: each runs until it needs rows, then the statements of all are
 * sent at once, then all answers are awaited. A statement sent alone costs a system call on both sides, which is most of
 * its cost. The procedures also share `begin`, the clock, the locks, and one commit with its fsync.
 *
 * Procedures that share a transaction see each other's uncommitted writes, and row locks do not separate them. So a
 * procedure names what it needs exclusively (`own`), and waits while another procedure of the same transaction owns it.
 * The advisory locks of `lock` need no such care: they order numbers for readers, and what is committed together becomes
 * visible together.
 */
import { type Procedure, Refused, type Row, Several } from "../../sql/procedure.ts";
import { Forms, type Sql, type SqlValue } from "../../sql/sql.ts";
import type { EngineOptions } from "../engine.ts";
import type { Facts } from "../facts.ts";
import type { Address } from "./address.ts";
import { type Asked, combine, type ParameterTypes, type Sent } from "./combine.ts";
import { type Connection, pooledSettings } from "./connection.ts";
import {
  clockQuery,
  clockText,
  contextOf,
  lockText,
  newlyShared,
  settledEvent,
  tryAgain,
} from "./context.ts";
import { isLost } from "./errors.ts";
import { hashOf } from "./hash.ts";
import { merge } from "./merge.ts";
import { isOrdered } from "./ordered.ts";
import {
  type Answer,
  type Emitting,
  type Ended,
  Entangled,
  type Job,
  type Running,
  type Step,
  Unsettled,
  waitOf,
} from "./running.ts";

export interface Setting {
  address: Address;
  facts: Facts;
  options: EngineOptions;
  types: ParameterTypes;
}

const forms = new Forms(
  (index) => `$${index}`,
  (text) => text,
);

export function lockstep(
  connection: Connection,
  setting: Setting,
  mode: "read" | "write",
  jobs: readonly Job[],
): Promise<Ended[]> {
  return new Transaction(connection, setting, mode, jobs).run();
}

class Transaction {
  readonly #shared = newlyShared();
  readonly #all: Running[];
  readonly #writes: boolean;
  /** The error of the first statement that failed; later ones only report that the transaction is aborted. */
  #failure: unknown;
  #xid: string | undefined;
  #begun = false;
  /** The answer to a commit that was sent together with the last statements. */
  #committed: Promise<Row[]> | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly setting: Setting,
    private readonly mode: "read" | "write",
    private readonly jobs: readonly Job[],
  ) {
    this.#writes = mode === "write";
    this.#all = jobs.map((job) => this.#prepared(job, jobs.length));
  }

  async run(): Promise<Ended[]> {
    try {
      for (let active = this.#all; active.length; active = active.filter(({ outcome }) => !outcome))
        await this.#step(active);
      if (this.#failure) throw this.#failure;
    } catch (error) {
      if (this.#committed && isLost(error)) throw this.#unsettled(error);
      // Awaited: a retry on another connection would skip rows that this one still has locked.
      if (this.#begun) await this.#send("rollback").catch(() => {});
      // A statement whose answer was not awaited aborted the transaction, and the next one only reported that.
      throw this.#failure ?? error;
    }
    if (this.#begun) await this.#commit();
    return this.#ended();
  }

  #prepared({ work, final, patience }: Job, sharers: number): Running {
    const { facts, options } = this.setting;
    const noted = { topics: new Set<string>(), learnt: new Map<string, string>() };
    const running = { ...noted, rows: [], wrote: false, last: false } as unknown as Running;
    const { now } = options;
    const how = { facts, writes: this.#writes, now, sharers, final, patience };
    running.procedure = work(contextOf(this.#shared, running, how)) as Procedure<unknown>;
    return running;
  }

  #ended(): Ended[] {
    return this.#all as unknown as Ended[];
  }

  #send(text: string, values: readonly SqlValue[] = []): Promise<Row[]> {
    const rows = this.connection.run(text, values);
    rows.catch((error) => {
      this.#failure ??= error;
    });
    return rows;
  }

  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    const { address } = this.setting;
    void this.#send(this.#writes ? "begin" : "begin isolation level repeatable read, read only");
    if (address.pooled) void this.connection.script(pooledSettings(address)).catch(() => {});
    const waitMs = this.#writes ? waitOf(this.jobs) : undefined;
    if (waitMs !== undefined) void this.#send(`set local lock_timeout = ${waitMs}`);
  }

  async #commit(): Promise<void> {
    const committed = this.#committed ?? this.#send("commit");
    // A read has nothing to commit, so its end is not awaited.
    if (!this.#writes) return;
    try {
      await committed;
    } catch (error) {
      if (isLost(error)) throw this.#unsettled(error);
      throw this.#failure ?? error;
    }
    // The commit of an aborted transaction is a rollback, without an error.
    if (this.#failure) throw this.#failure;
  }

  #unsettled(cause: unknown): Unsettled {
    return new Unsettled(this.#ended(), { xid: this.#xid, life: this.connection.life }, cause);
  }

  /** One step of all procedures: sends their statements, and resolves when they are answered. */
  async #step(active: readonly Running[]): Promise<void> {
    const { statements, clocks, horizons } = this.#advanceAll(active);
    if (this.#committed && (statements.length || clocks.length || horizons.length))
      throw new Error("a procedure asks for more after its last statements");
    const answers: Promise<void>[] = [];
    // [G2] First the newest event number, then the running transactions, then the rows: any other order could miss an event.
    if (horizons.length) answers.push(this.#askHorizon(horizons));
    if (statements.length || clocks.length || this.#shared.wanted.size) this.#begin();
    this.#takeLocks();
    // The clock is read last, so that its time is later than every lock.
    for (const sent of this.#combined(statements, clocks.length ? [this.#clock(clocks)] : [])) {
      const answer = this.#ask(sent);
      if (answer) answers.push(answer);
    }
    if (this.#writes && answers.length && active.every(({ last, outcome }) => last || outcome))
      this.#committed = this.#send("commit");
    if (answers.length) await Promise.all(answers);
  }

  #combined(callers: readonly (readonly Asked[])[], clock: readonly Asked[]): readonly Sent[] {
    if (callers.length < 2) return merge([...(callers[0] ?? []), ...clock]);
    const { types } = this.setting;
    for (const { sharing, text } of callers.flat())
      if (sharing === "alike" && types.isNew(text))
        void this.connection.parameterTypes(text).then(
          (oids) => types.learn(text, oids),
          () => {},
        );
    return [...combine(callers, types), ...clock];
  }

  /** Runs each procedure until it waits for rows. If all of them wait for each other, none could ever continue. */
  #advanceAll(active: readonly Running[]): Step {
    const step: Step = { statements: [], clocks: [], horizons: [] };
    let moved = false;
    for (const running of active) {
      const asked: Asked[] = [];
      moved = this.#advance(running, step, asked) || moved;
      if (asked.length) step.statements.push(asked);
    }
    if (!moved) throw new Entangled();
    return step;
  }

  /** Runs a procedure until it waits for rows or has ended. False if another procedure has what it must own. */
  #advance(running: Running, step: Step, asked: Asked[]): boolean {
    for (;;) {
      let next: IteratorResult<Sql | Several, unknown>;
      try {
        next = running.procedure.next(running.rows as Row[]);
      } catch (error) {
        running.outcome = { error };
        running.learnt.clear();
        // Its writes cannot be undone without undoing those of the others.
        if (running.wrote && this.#all.length > 1) throw new Entangled();
        if (running.wrote) throw error;
        return this.#disown(running);
      }
      if (next.done) {
        const { value } = next;
        running.outcome = value instanceof Refused ? { error: value.error } : { value };
        return this.#disown(running);
      }
      if (next.value === tryAgain) {
        running.rows = [];
        return false;
      }
      if (this.#waits(running, next.value, step, asked)) return true;
    }
  }

  /** Adds the statements to the step; false if the procedure needs none of their rows. */
  #waits(running: Running, value: Sql | Several, step: Step, asked: Asked[]): boolean {
    running.last = value instanceof Several && value.last;
    if (!(value instanceof Several)) {
      running.rows = [];
      return this.#emit(value, { running, step, asked, answer: (rows) => (running.rows = rows) });
    }
    const rows: Row[][] = value.statements.map(() => []);
    running.rows = rows;
    let waits = false;
    for (const [i, statement] of value.statements.entries())
      waits = this.#emit(statement, { running, step, asked, answer: (found) => (rows[i] = found) }) || waits;
    return waits;
  }

  #emit(statement: Sql, { running, step, asked, answer }: Emitting): boolean {
    if (statement === clockQuery) step.clocks.push(answer);
    else if (statement === settledEvent) step.horizons.push(answer);
    else {
      const { form: text, values } = forms.of(statement);
      if (this.#writes && !/^\s*select/i.test(text)) running.wrote = true;
      const { sharing, blind } = statement;
      asked.push({ text, values, sharing, ...(!blind && { answer: this.#turned(text, answer) }) });
      return !blind;
    }
    return true;
  }

  #turned(text: string, answer: Answer): Answer {
    const turns = this.setting.options.reverseUnordered && !isOrdered(text);
    return turns ? (rows) => answer(rows.toReversed()) : answer;
  }

  /** The procedure has ended: what it owned is free for the others. */
  #disown(running: Running): true {
    const { owners } = this.#shared;
    for (const [name, owner] of owners) if (owner === running) owners.delete(name);
    return true;
  }

  #askHorizon(horizons: readonly Answer[]): Promise<void> {
    if (this.#begun && !this.#writes)
      throw new Error("what is settled must be asked before anything else is read");
    if (this.#writes) this.#begin();
    const { address } = this.setting;
    const in_ = address.pooled ? `"${address.schema}".` : "";
    return this.#send(`select ${in_}settled_event() as last`).then((rows) => give(rows, horizons));
  }

  #takeLocks(): void {
    const { wanted, locked } = this.#shared;
    if (!wanted.size) return;
    const numbers = [...wanted].sort((a, b) => a - b);
    for (const number of numbers) locked.add(number);
    wanted.clear();
    void this.#send(lockText, [hashOf(this.setting.address.schema) >>> 1, `{${numbers.join(",")}}`]);
  }

  /** Undefined if its rows are not needed. */
  #ask({ text, values, answer }: Sent): Promise<void> | undefined {
    const rows = this.#send(text, values);
    if (!answer) return undefined;
    return rows.then(answer);
  }

  #clock(clocks: readonly Answer[]): Asked {
    const answer = (rows: Row[]) => {
      give(rows, clocks);
      this.#xid = (rows[0]?.xid as string | undefined) ?? this.#xid;
    };
    return { text: clockText[this.mode], values: [], sharing: "none", answer };
  }
}

function give(rows: Row[], to: readonly Answer[]): void {
  for (const answer of to) answer(rows);
}
