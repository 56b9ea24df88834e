/**
 * Combines the statements of several callers in one step. A statement costs about 50 µs on the server and as much here,
 * one more row in it 10 µs: sixty-four claims together send as many statements as one claim.
 *   same text and values   a read is sent once, and all callers get its rows
 *   apart                  the same, but each caller gets a different row: the limit is raised to the number of callers
 *   alike                  the same text with different values: each parameter becomes an array
 * The order of the statements of one caller is kept.
 */
import type { Row } from "../../sql/procedure.ts";
import type { Sql, SqlValue } from "../../sql/sql.ts";

/** A statement of one caller. Without `answer` its rows are not needed. */
export interface Asked {
  text: string;
  values: readonly SqlValue[];
  sharing: Sql["sharing"];
  answer?: (rows: Row[]) => void;
}

/** A statement as it is sent, for one caller or for several. */
export interface Sent {
  text: string;
  values: readonly SqlValue[];
  answer?: (rows: Row[]) => void;
}

/** The types of a statement's parameters, as far as they are known: the server is asked once per text. */
export class ParameterTypes {
  readonly #known = new Map<string, readonly string[] | undefined>();
  readonly #asked = new Set<string>();

  of(text: string): readonly string[] | undefined {
    return this.#known.get(text);
  }

  /** True once: then the server has to be asked. */
  isNew(text: string): boolean {
    if (this.#asked.has(text)) return false;
    this.#asked.add(text);
    return true;
  }

  learn(text: string, oids: readonly number[]): void {
    const names = oids.map((oid) => typeNames.get(oid));
    this.#known.set(text, names.every((name) => name !== undefined) ? (names as string[]) : undefined);
  }
}

/** From the server's catalogue: the types that our columns have. */
const typeNames = new Map([
  [20, "bigint"],
  [23, "integer"],
  [25, "text"],
]);

/** Statements with the same text. The statements of later callers are added if the order of their caller permits it. */
interface Heap {
  text: string;
  all: Asked[];
}

export function combine(callers: readonly (readonly Asked[])[], types: ParameterTypes): Sent[] {
  const heaps: Heap[] = [];
  for (const asked of callers) {
    let at = 0;
    const mine = new Set<Heap>();
    for (const one of asked) {
      const joins = one.sharing !== "none" || isRead(one.text);
      // The second of two updates by one caller may change rows that the first has changed.
      const fits = (heap: Heap) => heap.text === one.text && !(changes(one.text) && mine.has(heap));
      let place = joins ? at : heaps.length;
      while (place < heaps.length && !fits(heaps[place]!)) place++;
      if (place === heaps.length) heaps.push({ text: one.text, all: [] });
      mine.add(heaps[place]!);
      heaps[place]!.all.push(one);
      at = place;
    }
  }
  return heaps.flatMap(({ text, all }) => (all.length === 1 ? all : together(text, all, types)));
}

const changes = (text: string) => /^\s*update|on conflict/i.test(text);
const isRead = (text: string) => /^\s*select/i.test(text) && !/for update|advisory|nextval/i.test(text);

function together(text: string, all: readonly Asked[], types: ParameterTypes): readonly Sent[] {
  const different = Map.groupBy(all, ({ values }) => JSON.stringify(values));
  const { sharing } = all[0]!;
  if (sharing === "apart") return [...different.values()].map((same) => rowEach(text, same));
  const sent: readonly Sent[] = isRead(text)
    ? [...different.values()].map((same) => rowsForAll(text, same))
    : all;
  if (sharing !== "alike" || sent.length < 2) return sent;
  const one = joined(text, sent, types);
  return one ? [one] : sent;
}

function rowsForAll(text: string, same: readonly Asked[]): Sent {
  return {
    text,
    values: same[0]!.values,
    answer: (rows) => {
      for (const { answer } of same) answer?.(rows);
    },
  };
}

function rowEach(text: string, same: readonly Asked[]): Sent {
  const at = text.lastIndexOf(oneRow);
  if (at < 0) throw new Error(`what is asked apart ends with "${oneRow}": ${text}`);
  return {
    text: `${text.slice(0, at)}limit ${same.length}${text.slice(at + oneRow.length)}`,
    values: same[0]!.values,
    answer: (rows) => {
      for (const [i, { answer }] of same.entries()) answer?.(rows.slice(i, i + 1));
    },
  };
}

const oneRow = "limit 1";

function joined(text: string, all: readonly Sent[], types: ParameterTypes): Sent | undefined {
  const known = types.of(text);
  const made = known && manifold(text, known);
  if (!made) return undefined;
  const values = made.parameters.map((_, i) => arrayOf(all.map((one) => one.values[i]!)));
  const waited = all.some(({ answer }) => answer);
  return { text: made.text, values, ...(waited && { answer: (rows) => distribute(rows, all, made.kind) }) };
}

/** Rows of an insert come in the order in which they were inserted; other rows contain the number of their caller. */
function distribute(rows: readonly Row[], all: readonly Sent[], kind: Manifold["kind"]): void {
  if (kind === "insert") {
    if (rows.length !== all.length)
      throw new Error("an insert for several callers has not made a row for each");
    for (const [i, row] of rows.entries()) all[i]!.answer?.([row]);
    return;
  }
  const found: Row[][] = all.map(() => []);
  for (const { [whose]: place, ...row } of rows) found[(place as number) - 1]!.push(row);
  for (const [i, { answer }] of all.entries()) answer?.(found[i]!);
}

/** A statement for several callers: its parameters are arrays. */
interface Manifold {
  kind: "select" | "insert" | "update";
  text: string;
  parameters: readonly string[];
}

/** The column with the number of the caller whose row it is. */
export const whose = "n_of_caller";
const manifolds = new Map<string, Manifold | undefined>();

function manifold(text: string, types: readonly string[]): Manifold | undefined {
  if (!manifolds.has(text)) manifolds.set(text, manifoldOf(text, types));
  return manifolds.get(text);
}

function manifoldOf(text: string, types: readonly string[]): Manifold | undefined {
  // They are compared with columns, which have the collation "C"; values of different collations cannot be compared.
  const arrays = types
    .map((type, i) => (type === "text" ? `$${i + 1}::text[] collate "C"` : `$${i + 1}::${type}[]`))
    .join(", ");
  const names = types.map((_, i) => `p${i + 1}`).join(", ");
  const callers = `unnest(${arrays}) with ordinality as caller (${names}, ${whose})`;
  const each = (part: string) => part.replace(/\$(\d+)/g, "caller.p$1");
  const made = (kind: Manifold["kind"], whole: string): Manifold => ({
    kind,
    text: whole,
    parameters: types,
  });

  if (/^\s*select/i.test(text))
    return made(
      "select",
      `select caller.${whose}, found.* from ${callers} cross join lateral (${each(text)}) as found`,
    );

  const [head, rest] = split(text, "where");
  if (/^\s*update \w+ set /i.test(text)) {
    const [which, columns] = split(rest, "returning");
    const returning = columns && ` returning caller.${whose}, ${columns}`;
    return made("update", `${each(head)} from ${callers} where ${each(which)}${returning}`);
  }
  if (/^\s*insert into \w+ \([^)]*\) select /i.test(text))
    return made("update", `${each(head)} from ${callers} where ${each(rest)}`);

  const insert = /^\s*(insert into \w+ \([^)]*\)) values \(/i.exec(text);
  if (!insert) return undefined;
  const end = closing(text, insert[0].length);
  const after = text.slice(end + 1);
  // What follows the values is there once for all callers, so it cannot have parameters.
  if (/\$\d/.test(after)) return undefined;
  const values = each(text.slice(insert[0].length, end));
  return made("insert", `${insert[1]} select ${values} from ${callers} order by caller.${whose} ${after}`);
}

/** The position of the parenthesis that closes the one before `from`. */
function closing(text: string, from: number): number {
  let depth = 1;
  let at = from;
  for (; depth > 0; at++) {
    if (text[at] === "(") depth++;
    else if (text[at] === ")") depth--;
    else if (text[at] === "'") at = text.indexOf("'", at + 1);
  }
  return at - 1;
}

/** The text before and after a word that is outside of all parentheses. */
function split(text: string, word: string): [string, string] {
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "'") at = text.indexOf("'", at + 1);
    else if (text[at] === "(") at = closing(text, at + 1);
    else if (
      text.startsWith(word, at) &&
      /\s/.test(text[at - 1] ?? "") &&
      /\s/.test(text[at + word.length] ?? "")
    )
      return [text.slice(0, at), text.slice(at + word.length)];
  }
  return [text, ""];
}

export function arrayOf(values: readonly SqlValue[]): string {
  const elements = values.map((value) =>
    value === null
      ? "NULL"
      : typeof value === "number"
        ? String(value)
        : `"${value.replace(/["\\]/g, "\\$&")}"`,
  );
  return `{${elements.join(",")}}`;
}
