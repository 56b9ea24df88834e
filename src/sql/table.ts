/**
 * How a table is declared: once, in tables.ts, with its columns, their types and its key. Row types, select lists, inserts,
 * what `inbox migrate` copies and the test of both schemas derive from the declaration.
 */
import { kept, Sql, type SqlValue, statement } from "./sql.ts";

interface Facts {
  /** The database gives each new row the next number, and never the same one twice. */
  readonly numbered?: boolean;
  readonly nullable?: boolean;
  /** What a new row has there, if the insert leaves it out. Undefined: the insert must give it. */
  readonly initial?: SqlValue;
  /** The table of which it names a row. */
  readonly parent?: Table;
}

/** Whether an insert gives it; `serial` is left to the database. */
type Given = "required" | "optional" | "serial";

/** `value` and `given` are for the compiler: no column has them when the program runs. */
export class Column<Value extends SqlValue = SqlValue, G extends Given = Given> {
  declare readonly value: Value;
  declare readonly given: G;

  constructor(
    readonly type: "text" | "integer",
    readonly facts: Facts = {},
  ) {}

  private with<V extends SqlValue, H extends Given>(more: Facts): Column<V, H> {
    return new Column<V, H>(this.type, { ...this.facts, ...more });
  }

  orNull() {
    return this.with<Value | null, G>({ nullable: true });
  }

  /** Null in a new row, until something happens to it: an insert may leave it out. */
  nullAtFirst() {
    return this.with<Value | null, "optional">({ nullable: true, initial: null });
  }

  /** Both schemas have this default, so an insert may leave the column out. */
  default(initial: Value & SqlValue) {
    return this.with<Value, "optional">({ initial });
  }

  refersTo(parent: Table) {
    return this.with<Value, G>({ parent });
  }
}

export const text = <Value extends string = string>() => new Column<Value, "required">("text");
export const integer = () => new Column<number, "required">("integer");
/** A key that counts up. */
export const serial = () => new Column<number, "serial">("integer", { numbered: true });

type Columns = Readonly<Record<string, Column>>;

/** Some columns of a table. */
export interface Part<C extends Columns = Columns> {
  readonly name: string;
  readonly columns: C;
  readonly names: readonly string[];
}

export interface Table<C extends Columns = Columns> extends Part<C> {
  /** The primary key; rows are walked in its order. */
  readonly key: readonly string[];
  /** Computed by the database; in no row type, select list or insert. */
  readonly generated: Columns;
}

export const table = <C extends Columns>(
  name: string,
  key: readonly (keyof C & string)[],
  declare: () => C,
  generated: Columns = {},
): Table<C> => new Declared(name, key, declare, generated);

/** The columns are declared when they are first asked for: a command needs five of the forty tables, and all of them took 0.2 ms. */
class Declared<C extends Columns> implements Table<C> {
  private known?: { columns: C; names: readonly string[] };

  constructor(
    readonly name: string,
    readonly key: readonly string[],
    private readonly declare: () => C,
    readonly generated: Columns,
  ) {}

  private get declared() {
    if (this.known) return this.known;
    const columns = this.declare();
    this.known = { columns, names: Object.keys(columns) };
    return this.known;
  }

  get columns() {
    return this.declared.columns;
  }

  get names() {
    return this.declared.names;
  }
}

/** For a statement that fetches or changes a few columns only. */
export const part = <C extends Columns, N extends keyof C & string>(
  { name, columns }: Part<C>,
  ...names: N[]
): Part<Pick<C, N>> => ({ name, columns, names });

export type RowOf<P extends Part> = { [N in keyof P["columns"]]: P["columns"][N]["value"] };

/** The columns of a table that an insert gives in one of these ways. */
type GivenAs<T extends Table, G extends Given> = {
  [N in keyof T["columns"]]: T["columns"][N]["given"] extends G ? N : never;
}[keyof T["columns"]];

/** A row as it is inserted: without what the database or a default fills in, unless it is given. */
export type NewRow<T extends Table> = Pick<RowOf<T>, GivenAs<T, "required">> &
  Partial<Pick<RowOf<T>, GivenAs<T, "optional" | "serial">>>;

type OrSql<Row> = { [N in keyof Row]: Row[N] | Sql };
/** Refuses names that are no columns, also in an object that was not written in place. */
type NoOther<Given, Row> = { [N in Exclude<keyof Given, keyof Row>]: never };

/**
 * `table.a, table.b` for `select` and `returning`; call it once, when a module is loaded. `instead` has expressions to fetch in
 * place of columns, under the same names.
 */
export function columnsOf<P extends Part>(
  { name, names }: P,
  instead: { [N in keyof RowOf<P>]?: Sql } = {},
): Sql {
  const strings: string[] = [];
  const values: Sql[] = [];
  let text = "";
  for (const [i, column] of names.entries()) {
    if (i) text += ", ";
    const expression = (instead as Partial<Record<string, Sql>>)[column];
    if (expression) {
      strings.push(text);
      values.push(expression);
      text = ` as ${column}`;
    } else text += `${name}.${column}`;
  }
  return new Sql(kept([...strings, text]), values);
}

/** Columns come in the order of the table, whatever the order in the object: the same columns are the same statement. */
export function insert<T extends Table, R extends OrSql<NewRow<T>>>(
  table: T,
  row: R & NoOther<R, NewRow<T>>,
): Sql {
  const { columns, strings } = shapeOf(table, row);
  const values: (SqlValue | Sql)[] = [];
  for (const column of columns) values.push((row as AnyRow)[column]!);
  return statement(strings, values);
}

type AnyRow = Readonly<Record<string, SqlValue | Sql>>;

/** Which columns an insert gives, and its text around their values. */
interface Shape {
  /** The columns as a caller gives them. */
  given: readonly string[];
  columns: readonly string[];
  strings: readonly string[];
}

/** Of each table a few: an insert has the same columns every time, and its text is put together once. */
const shapes = new WeakMap<Table, Shape[]>();

function shapeOf(table: Table, row: object): Shape {
  const known = shapes.get(table) ?? [];
  const given = Object.keys(row);
  for (const shape of known) if (isSame(shape.given, given)) return shape;
  const other = given.filter((column) => !(column in table.columns));
  if (other.length) throw new Error(`no column of ${table.name}: ${other}`);
  const columns = table.names.filter((column) => column in row);
  const strings = [...columns.map(() => ", "), ")"];
  strings[0] = `insert into ${table.name} (${columns.join(", ")}) values (`;
  // The same columns in another order are the same statement.
  const equal = known.find((shape) => shape.strings[0] === strings[0]);
  const shape = { given, columns, strings: equal?.strings ?? kept(strings) };
  shapes.set(table, [...known, shape]);
  return shape;
}

/** Every insert asks this; with a function that is called for each name it took twice as long. */
function isSame(names: readonly string[], others: readonly string[]): boolean {
  if (names.length !== others.length) return false;
  for (let i = 0; i < names.length; i++) if (names[i] !== others[i]) return false;
  return true;
}

/** Follows an insert: a row with the same key is overwritten, but for the columns that are kept. */
export function overwriting({ key, names }: Table, ...keeping: string[]): Sql {
  const changes = names
    .filter((column) => !key.includes(column) && !keeping.includes(column))
    .map((column) => `${column} = excluded.${column}`);
  // A row that is all key has nothing that could differ.
  const action = changes.length ? `update set ${changes.join(", ")}` : "nothing";
  return new Sql(kept([`on conflict (${key.join(", ")}) do ${action}`]), []);
}

/** The text around the values, of each part and of those of its columns that were given. */
const assigned = new WeakMap<readonly string[], Map<string, readonly string[]>>();

/** `a = ?, b = ?` for `update … set`: those of the table's columns, or of the part's, that the row has. */
export function assignments<P extends Part>({ names }: P, row: Partial<RowOf<P>>): Sql {
  const given = names.filter((column) => column in row);
  const known = assigned.get(names) ?? new Map<string, readonly string[]>();
  const key = given.join();
  const strings = known.get(key) ?? kept(given.map((column, i) => `${i ? ", " : ""}${column} = `).concat(""));
  assigned.set(names, known.set(key, strings));
  return statement(
    strings,
    given.map((column) => row[column as keyof RowOf<P>] as SqlValue),
  );
}

/** What a new row has in the columns that an insert may leave out. */
export function initialOf<T extends Table>({ columns, names }: T) {
  const known = names.filter((column) => columns[column]!.facts.initial !== undefined);
  return Object.fromEntries(known.map((column) => [column, columns[column]!.facts.initial])) as Pick<
    RowOf<T>,
    GivenAs<T, "optional">
  >;
}
