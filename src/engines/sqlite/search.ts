/** Words in FTS5. The index keeps no text, only where words are; what a row is and which is in its number. */
import { isBeginning, type Searching } from "../../sql/procedure.ts";
import { joined, literal, Sql, sql } from "../../sql/sql.ts";

/** Rows of one kind lie together, in the order of their numbers. */
const kindSize = 2 ** 48;
const rowOf = (kind: number, ref: number) => kind * kindSize + ref;

export const search: Searching = {
  put: (kind, texts) => sql`
    insert or replace into search_words (rowid, title, body) values ${joined(
      texts.map(({ ref, title, body }) => sql`(${rowOf(kind, ref)}, ${title.join(" ")}, ${body.join(" ")})`),
    )}`,

  drop: (kind, refs) =>
    sql`delete from search_words where rowid in (${joined(refs.map((ref) => rowOf(kind, ref)))})`,

  clear: () => new Sql(["insert into search_words (search_words) values ('delete-all')"], []),

  // The newest are found without a look at the others' ranks: a word that everything has must not take a second.
  match: (kind, words, among, limit) => sql`
    select ref, score from (
      select rowid - ${literal(kind * kindSize)} as ref, - bm25(search_words, 4.0, 1.0) as score from search_words
      where search_words match ${words.map((word) => `"${word}"${isBeginning(word) ? "*" : ""}`).join(" AND ")}
        and rowid >= ${literal(rowOf(kind, 0))} and rowid < ${literal(rowOf(kind + 1, 0))}
      order by rowid desc limit ${literal(among)})
    order by score desc, ref desc limit ${literal(limit)}`,
};
