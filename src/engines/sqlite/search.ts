/**
 * Search words in FTS5. The index contains no text, only the positions of words; the row number tells the kind and
 * number of the text. FTS5 collects every text that has a word or a prefix before it returns the first, and counts
 * them all before it ranks: for a common word that takes time in proportion to the number of texts. So each word is
 * stored together with the part that its text is in. Parts are limited in size, and a search in one reads nothing of
 * the others.
 */
import { all, isBeginning, one, type Procedure, run, type Searching } from "../../sql/procedure.ts";
import { joined, literal, Sql, sql } from "../../sql/sql.ts";

/** Rows of one kind are together, in the order of their numbers. */
const kindSize = 2 ** 48;
const rowOf = (kind: number, ref: number) => kind * kindSize + ref;

/** Words per part: few enough to search in a few milliseconds, and enough to keep the number of parts small. */
const partSize = 32_768;
/** A text counts as at least this many words: the work per text must not become the larger part. */
const textSize = 32;

/** Of fixed length: otherwise a part and the word after it could be read as another part and another word. */
const tagOf = (kind: number, part: number) => kind + part.toString(36).padStart(6, "0");
const marked = (words: readonly string[], tag: string) => words.map((word) => tag + word).join(" ");
const phraseOf = (word: string, tag: string) => `"${tag}${word}"${isBeginning(word) ? "*" : ""}`;

interface Part {
  part: number;
  words: number;
}

export const search: Searching = {
  *put(kind, texts) {
    const rows = joined(texts.map(({ ref }) => rowOf(kind, ref)));
    const known = yield* all<{ id: number }>(sql`select id from search_words_docsize where id in (${rows})`);
    const there = new Set(known.map(({ id }) => id));
    const added: Sql[] = [];
    let { part, words } = (yield* one<Part>(
      sql`select part, words from search_parts where kind = ${literal(kind)}`,
    )) ?? { part: 0, words: 0 };
    for (const { ref, title, body } of texts) {
      if (there.has(rowOf(kind, ref))) continue;
      const size = Math.max(title.length + body.length, textSize);
      if (words > 0 && words + size > partSize) [part, words] = [part + 1, 0];
      words += size;
      const tag = tagOf(kind, part);
      added.push(sql`(${rowOf(kind, ref)}, ${marked(title, tag)}, ${marked(body, tag)})`);
    }
    if (!added.length) return;
    yield* run(sql`insert into search_words (rowid, title, body) values ${joined(added)}`);
    yield* run(sql`
      insert into search_parts (kind, part, words) values (${literal(kind)}, ${part}, ${words})
      on conflict (kind) do update set part = excluded.part, words = excluded.words`);
  },

  drop: (kind, refs) =>
    sql`delete from search_words where rowid in (${joined(refs.map((ref) => rowOf(kind, ref)))})`,

  *clear() {
    yield* run(new Sql(["insert into search_words (search_words) values ('delete-all')"], []));
    yield* run(new Sql(["delete from search_parts"], []));
  },

  *match(kind, words, { part }) {
    const newest =
      part ?? (yield* one<Part>(sql`select part from search_parts where kind = ${literal(kind)}`))?.part;
    if (newest === undefined) return { found: [], next: undefined };
    const next = newest > 0 ? newest - 1 : undefined;
    const phrases = words.map((word) => phraseOf(word, tagOf(kind, newest)));
    const having: number[] = [];
    // The longest word, which is likely the rarest, comes first: usually it alone shows that there is nothing here.
    if (phrases.length > 1)
      for (const phrase of phrases.toSorted((a, b) => b.length - a.length)) {
        const { texts } = (yield* one<{ texts: number }>(
          sql`select count(*) as texts from search_words where search_words match ${phrase}`,
        ))!;
        if (!texts) return { found: [], next };
        having.push(texts);
      }
    const found = yield* all<{ ref: number; score: number }>(sql`
      select rowid - ${literal(kind * kindSize)} as ref, - bm25(search_words, 4.0, 1.0) as score from search_words
      where search_words match ${phrases.join(" AND ")}`);
    if (!found.length) return { found: [], next };
    if (phrases.length === 1) having.push(found.length);
    const rarity = rarityIn(yield* one<{ totals: string }>(totals));
    const scale = words.length / having.reduce((sum, texts) => sum + rarity(texts), 0);
    const exact = yield* exactIn(kind, newest, words);
    return {
      found: found.map(({ ref, score }) => ({ ref, score: score * scale, exact: exact.get(ref) ?? 0 })),
      next,
    };
  },
};

/** How many of the words each text of a part contains as whole words. */
function* exactIn(kind: number, part: number, words: readonly string[]): Procedure<Map<number, number>> {
  const counts = new Map<number, number>();
  for (const word of words) {
    const having = yield* all<{ ref: number }>(sql`
      select rowid - ${literal(kind * kindSize)} as ref from search_words where search_words match ${`"${tagOf(kind, part)}${word}"`}`);
    for (const { ref } of having) counts.set(ref, (counts.get(ref) ?? 0) + 1);
  }
  return counts;
}

const totals = new Sql(["select hex(block) as totals from search_words_data where id = 1"], []);

/**
 * The factor by which bm25 has weighted a word: how rare it is, counting only the texts of one part. It is divided
 * out, so that scores of two parts are comparable. The total number of texts is the first number in the record of
 * totals, with seven bits per byte.
 */
function rarityIn(record: { totals: string } | undefined): (texts: number) => number {
  let all = 0;
  for (const byte of Buffer.from(record?.totals ?? "", "hex")) {
    all = all * 128 + (byte & 127);
    if (byte < 128) break;
  }
  return (texts) => {
    const rarity = Math.log((all - texts + 0.5) / (texts + 0.5));
    return rarity > 0 ? rarity : 1e-6;
  };
}
