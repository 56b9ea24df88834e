/**
 * Writes whose case is plain: one statement for all calls of a kind, in one round trip. It commits by itself; if there are
 * several kinds, they share a transaction. What it was not done for is left to the procedures (lockstep.ts).
 *
 * The transaction's id is not known before its answer, so if that is lost, the server cannot be asked what became of it
 * (fate.ts). Instead the session is ended there: then nothing can be done by it any more, and each call is made `again`.
 */
import type { Plain, PlainCase, PlainQuery } from "../../sql/plain.ts";
import type { Row } from "../../sql/procedure.ts";
import type { SqlValue } from "../../sql/sql.ts";
import { arrayOf, whose } from "./combine.ts";
import type { Connection, Session } from "./connection.ts";
import { lockNumber } from "./context.ts";
import { isLost } from "./errors.ts";
import { hashOf } from "./hash.ts";
import type { Setting } from "./lockstep.ts";
import type { Pool } from "./pool.ts";
import { Resting } from "./resting.ts";
import type { Ended } from "./running.ts";

/** A write that offers its plain case. */
interface Offered<Entry> {
  entry: Entry;
  plain: Plain<unknown>;
}

/** A write that was done this way. */
interface Done<Entry> {
  entry: Entry;
  ended: Ended;
}

/** The connection broke, and it is not known whether they were done. */
export class Uncertain<Entry = unknown> extends Error {
  constructor(
    readonly offered: readonly Offered<Entry>[],
    readonly session: Session,
    cause: unknown,
  ) {
    super("the connection broke while writing", { cause });
  }
}

export interface PlainCases<Entry> {
  /** Those that may be plain. */
  of(entries: readonly Entry[]): Offered<Entry>[];
  /** The writes that are done. For the others the procedures run. */
  tryAll(offered: readonly Offered<Entry>[]): Promise<Done<Entry>[]>;
}

export function openPlain<Entry extends { plain: PlainCase<unknown> | undefined }>(
  pool: Pool,
  { address, facts, options }: Setting,
): PlainCases<Entry> {
  // With a pooler, the settings of a session would have to be sent first.
  const never = address.pooled || options.stepwise;
  const resting = new Resting(options.now ?? (() => performance.now()));

  /** Of calls that change the same, only the first can be in the statement. */
  function chosen(offered: readonly Offered<Entry>[]): Map<PlainQuery, Offered<Entry>[]> {
    const owned = new Set<string>();
    const free = offered.filter(({ plain: { own, kind } }) => {
      if (resting.has(kind) || (own !== undefined && owned.has(own))) return false;
      if (own !== undefined) owned.add(own);
      return true;
    });
    return Map.groupBy(free, ({ plain }) => plain.query);
  }

  async function send(connection: Connection, kinds: Map<PlainQuery, Offered<Entry>[]>): Promise<Row[][]> {
    const sent = [...kinds].map(([query, offered]) => ({
      text: textOf(query, offered.length > 1),
      values: valuesOf(query, offered, hashOf(address.schema) >>> 1, options.now?.()),
    }));
    if (sent.length === 1) return [await connection.run(sent[0]!.text, sent[0]!.values)];
    const begun = connection.run("begin");
    const answers = sent.map(({ text, values }) => connection.run(text, values));
    const ended = connection.run("commit");
    const all = await Promise.allSettled([begun, ...answers, ended]);
    const failed = all.find((one) => one.status === "rejected");
    if (failed) throw failed.reason;
    return Promise.all(answers);
  }

  /** Undefined if nothing was written. */
  async function sendOn(kinds: Map<PlainQuery, Offered<Entry>[]>): Promise<Row[][] | undefined> {
    let session: Session | undefined;
    try {
      return await pool.use(async (connection) => {
        session = connection.session;
        // On a standby nothing can be written.
        return session && send(connection, kinds);
      });
    } catch (error) {
      if (isLost(error) && session) throw new Uncertain([...kinds.values()].flat(), session, error);
      // The procedures tell the reason, if they have it too.
      return undefined;
    }
  }

  function answered(asked: readonly Offered<Entry>[], rows: readonly Row[]): Done<Entry>[] {
    const places = new Set(rows.map((row) => (row[whose] as number) - 1));
    for (const [i, { plain }] of asked.entries())
      if (places.has(i)) resting.end(plain.kind);
      else resting.add(plain.kind);
    return rows.map(({ [whose]: place, ...row }) => {
      const { entry, plain } = asked[(place as number) - 1]!;
      return { entry, ended: endedBy(plain, row) };
    });
  }

  return {
    of: (entries) =>
      entries.flatMap((entry) => {
        const plain = never ? undefined : offeredBy(entry, (fact) => facts.recall(fact));
        return plain ? [{ entry, plain }] : [];
      }),

    async tryAll(offered) {
      const kinds = chosen(offered);
      if (!kinds.size) return [];
      const answers = await sendOn(kinds);
      return [...kinds.values()].flatMap((asked, i) => answered(asked, answers?.[i] ?? []));
    },
  };
}

/** Undefined also if the call is refused: the procedure tells why. */
function offeredBy(
  { plain }: { plain: PlainCase<unknown> | undefined },
  recall: (fact: string) => string | undefined,
): Plain<unknown> | undefined {
  try {
    return plain?.(recall);
  } catch {
    return undefined;
  }
}

/** It was written: an answer that cannot be made of the row must not let the procedure write it again. */
function endedBy({ answer }: Plain<unknown>, row: Row): Ended {
  try {
    const { value, topics, learnt } = answer(row);
    return { outcome: { value }, topics: new Set(topics), learnt: new Map(learnt) };
  } catch (error) {
    return { outcome: { error }, topics: new Set(), learnt: new Map() };
  }
}

const texts = { one: new WeakMap<PlainQuery, string>(), many: new WeakMap<PlainQuery, string>() };

function textOf(query: PlainQuery, many: boolean): string {
  const known = texts[many ? "many" : "one"].get(query);
  if (known !== undefined) return known;
  const { text, values } = query.parts(many).flatten(() => "");
  if (values.length) throw new Error("the values of a plain case are those of its callers");
  const made = `with ${many ? callersOf(query) : callerOf(query)} ${text}`;
  texts[many ? "many" : "one"].set(query, made);
  return made;
}

const parametersOf = (query: PlainQuery) =>
  Object.entries({ ...query.columns, ...(query.locks && { [needed]: "integer" }) });
const textually = (type: string) => (type === "text" ? ` collate "C"` : "");
/** What another transaction has locked is hardly ever waited for, and never for long: all callers would wait. */
const waitMs = 250;
const started = (fixed: string) =>
  `${fixed} as fixed, coalesce(${fixed}, statement_timestamp()) as started, set_config('lock_timeout', '${waitMs}', true) as wait_ms`;

/** One caller needs no arrays. */
function callerOf(query: PlainQuery): string {
  const columns = parametersOf(query);
  const values = columns.map(([name, type], i) => `$${i + 1}::${type}${textually(type)} as ${name}`);
  const fixed = `$${columns.length + 1}::timestamptz`;
  const free = `where pg_try_advisory_xact_lock($${columns.length + 2}::integer, $${columns.length}::integer)`;
  return `caller as materialized (
    select ${values.join(", ")}, 1::bigint as ${whose}, ${started(fixed)} ${query.locks ? free : ""}),`;
}

function callersOf(query: PlainQuery): string {
  const columns = parametersOf(query);
  const arrays = columns.map(([, type], i) => `$${i + 1}::${type}[]${textually(type)}`);
  const names = [...columns.map(([name]) => name), whose].join(", ");
  const fixed = `$${columns.length + 1}::timestamptz`;
  return `${query.locks ? "calling" : "caller"} as materialized (
    select called.*, ${started(fixed)} from unnest(${arrays.join(", ")}) with ordinality as called (${names})),
    ${query.locks ? freeCallers(`$${columns.length + 2}::integer`) : ""}`;
}

/** The number of the lock that a caller needs. */
const needed = "lock_of_caller";

/**
 * A lock that another transaction has is not waited for: all callers would wait for it, and so would everybody who waits for
 * one of theirs.
 */
const freeCallers = (space: string) => `
  held as materialized (
    select number, pg_try_advisory_xact_lock(${space}, number) as got
    from (select distinct ${needed} as number from calling) as wanted),
  caller as materialized (
    select calling.* from calling join held on held.number = calling.${needed} where held.got),`;

function valuesOf(
  { locks }: PlainQuery,
  offered: readonly Offered<unknown>[],
  space: number,
  now: number | undefined,
): SqlValue[] {
  const all = offered.map(({ plain }) => (locks ? [...plain.values, lockNumber(plain.lock!)] : plain.values));
  const [first] = all;
  const given = all.length === 1 ? first! : first!.map((_, i) => arrayOf(all.map((values) => values[i]!)));
  const fixed = now === undefined ? null : new Date(now).toISOString();
  return locks ? [...given, fixed, space] : [...given, fixed];
}
