/**
 * The few methods of a SQLite driver that this engine uses, on both runtimes: on Bun they are those of `bun:sqlite`,
 * elsewhere `node:sqlite` is adapted to the same shape.
 */
import type { SQLInputValue, StatementSync } from "node:sqlite";
import { InboxError } from "../../contract/errors.ts";
import { bun } from "../../platform/runtime.ts";

/** Values one by one, or as one array: as that, an insert of 13 columns takes 0.08 µs less. */
export interface Statement {
  all(...values: unknown[]): unknown[];
  /** Null if there is no row. */
  get(...values: unknown[]): unknown;
  run(...values: unknown[]): { lastInsertRowid: number | bigint };
}

export interface Database {
  /** Prepared once for each text. */
  query(text: string): Statement;
  /** Any number of statements without parameters. */
  run(script: string): unknown;
  readonly inTransaction: boolean;
  close(): void;
}

/** The file must exist; it is never created here. */
export function openFile(path: string): Database {
  if (!bun) return openOnNode(path);
  const { Database } = require("bun:sqlite") as typeof import("bun:sqlite");
  return new Database(path, { readwrite: true, create: false, strict: true }) as unknown as Database;
}

function openOnNode(path: string): Database {
  requireDriver();
  const { DatabaseSync } = nodeSqlite();
  const db = named(() => new DatabaseSync(path));
  const statements = new Map<string, Statement>();
  return {
    query(text) {
      const known = statements.get(text);
      if (known) return known;
      if (statements.size >= statementLimit) statements.delete(statements.keys().next().value!);
      const made = named(() => statementOf(db.prepare(text)));
      statements.set(text, made);
      return made;
    },
    run: (script) => named(() => db.exec(script)),
    get inTransaction() {
      return db.isTransaction;
    },
    close() {
      statements.clear();
      db.close();
    },
  };
}

/** In earlier versions, two connections that checkpoint at once could damage the file. Bun's version is newer. */
const safeSqlite = [3, 51, 3];

export function isSafeSqlite(version: string): boolean {
  const parts = version.split(".").map(Number);
  const first = parts.findIndex((part, i) => part !== safeSqlite[i]);
  return first < 0 || parts[first]! > safeSqlite[first]!;
}

let checked = bun !== undefined;

/** Refuses a runtime on which no database can be opened, before anything is created. */
export function requireDriver(): void {
  if (checked) return;
  const memory = new (nodeSqlite().DatabaseSync)(":memory:");
  const { version } = memory.prepare("select sqlite_version() as version").get() as { version: string };
  memory.close();
  checked = isSafeSqlite(version);
  if (checked) return;
  throw new InboxError(
    "storage",
    `the SQLite of this runtime (${version}) can damage a database that several programs use; ${safeSqlite.join(".")} or newer is required`,
    { hint: "use a newer Node, or a hub's address in place of the file: http://127.0.0.1:3456" },
  );
}

/** There are many statements with lists of different lengths; the oldest are prepared again. */
const statementLimit = 500;

function statementOf(statement: StatementSync): Statement {
  return {
    all: (...values) => named(() => statement.all(...values.flat().map(bound))),
    get: (...values) => named(() => statement.get(...values.flat().map(bound)) ?? null),
    run: (...values) => named(() => statement.run(...values.flat().map(bound))),
  };
}

/** Bun accepts these as they are. */
function bound(value: unknown): SQLInputValue {
  if (typeof value === "boolean") return value ? 1 : 0;
  return (value ?? null) as SQLInputValue;
}

function nodeSqlite(): typeof import("node:sqlite") {
  const module = process.getBuiltinModule("node:sqlite");
  if (module) return module;
  throw new InboxError(
    "invalid_input",
    `a database file needs Node 22.13 or newer, Bun or Deno; this is Node ${process.versions.node}`,
    { hint: "use a newer runtime, or a hub's address in place of the file: http://127.0.0.1:3456" },
  );
}

/** SQLite's names for its error codes, which Bun adds to errors and Node does not. */
const codes: Record<number, string> = {
  1: "ERROR",
  3: "PERM",
  5: "BUSY",
  6: "LOCKED",
  7: "NOMEM",
  8: "READONLY",
  9: "INTERRUPT",
  10: "IOERR",
  11: "CORRUPT",
  13: "FULL",
  14: "CANTOPEN",
  15: "PROTOCOL",
  17: "SCHEMA",
  18: "TOOBIG",
  19: "CONSTRAINT",
  20: "MISMATCH",
  21: "MISUSE",
  26: "NOTADB",
};
const noRoomForIndex = 10 | (19 << 8);

function named<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    const found = error as { code?: string; errcode?: number };
    if (found.code === "ERR_SQLITE_ERROR" && found.errcode !== undefined)
      found.code =
        found.errcode === noRoomForIndex
          ? "SQLITE_IOERR_SHMSIZE"
          : `SQLITE_${codes[found.errcode & 255] ?? "ERROR"}`;
    throw error;
  }
}
