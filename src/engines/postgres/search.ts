/** Words as tsvector. They are passed already split: the server's own parser would split text differently from other engines. */
import { all, type Indexed, isBeginning, type Match, run, type Searching } from "../../sql/procedure.ts";
import { joined, literal, Sql, sql } from "../../sql/sql.ts";

/** The limits of the server for the positions of one word, and of one text. */
const placesOfWord = 255;
const lastPlace = 16_383;

/** `'word':1A,7B`: a title's words have the weight A, a body's B. */
function vectorOf({ title, body }: Indexed): string {
  const places = new Map<string, string[]>();
  [...title, ...body].forEach((word, i) => {
    const known = places.get(word) ?? [];
    if (known.length < placesOfWord)
      known.push(`${Math.min(i + 1, lastPlace)}${i < title.length ? "A" : "B"}`);
    places.set(word, known);
  });
  return [...places].map(([word, known]) => `'${word}':${known.join(",")}`).join(" ");
}

/** A word in a title has four times the weight of one in a body. */
const weights = new Sql(["'{0, 0, 0.25, 1}'"], []);
/** Words of a long text have less weight. */
const byLength = literal(1);

export const search: Searching = {
  *put(kind, texts) {
    yield* run(sql`
      insert into search_words (kind, ref, words) values ${joined(
        texts.map((text) => sql`(${literal(kind)}, ${text.ref}, ${vectorOf(text)}::tsvector)`),
      )}
      on conflict (kind, ref) do nothing`);
  },

  drop: (kind, refs) =>
    sql`delete from search_words where kind = ${literal(kind)} and ref in (${joined(refs)})`,

  *clear() {
    yield* run(new Sql(["delete from search_words"], []));
  },

  // The index has one part: if many texts have a word, the newest are scanned; if few have it, the index finds them.
  *match(kind, words, { among, best }) {
    const asked = words.map((word) => `'${word}'${isBeginning(word) ? ":*" : ""}`).join(" & ");
    const exact = words.map((word) => sql`(found.words @@ ${`'${word}'`}::tsquery)::int`);
    const found = yield* all<Match>(sql`
      select found.ref, ${joined(exact, " + ")} as exact, ts_rank(${weights}, found.words, ${asked}::tsquery, ${byLength}) as score from (
        select search_words.ref, search_words.words from search_words
        where search_words.kind = ${literal(kind)} and search_words.words @@ ${asked}::tsquery
        order by search_words.ref desc limit ${literal(among)}) as found
      order by exact desc, score desc, found.ref desc limit ${literal(best)}`);
    return { found, next: undefined };
  },
};
