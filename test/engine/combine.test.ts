/** [S4] What the Postgres engine makes of statements that are asked at the same time; no server is needed for that. */
import { expect, test } from "bun:test";
import { type Asked, combine, ParameterTypes, type Sent } from "../../src/engines/postgres/combine.ts";
import { merge } from "../../src/engines/postgres/merge.ts";
import type { Row } from "../../src/sql/procedure.ts";

const asked = (
  text: string,
  values: (string | number | null)[] = [],
  sharing: Asked["sharing"] = "alike",
) => {
  const found: Row[][] = [];
  return { text, values, sharing, found, answer: (rows: Row[]) => void found.push(rows) };
};

const change = "update threads set subject = $1 where thread_id = $2";
const add = "insert into events (source, summary) values ($1, $2)";
const look = "select threads.subject from threads where threads.thread_id = $1";

function known(...texts: string[]): ParameterTypes {
  const types = new ParameterTypes();
  const oids: Record<string, number[]> = { [change]: [25, 20], [add]: [25, 25], [look]: [20] };
  for (const text of texts) types.learn(text, oids[text]!);
  return types;
}

const texts = (sent: readonly Sent[]) => sent.map(({ text }) => text);

test("[S4] a read that several ask is asked once, and all get its rows", () => {
  const [a, b] = [asked(look, [1], "none"), asked(look, [1], "none")];
  const sent = combine([[a], [b]], known());
  expect(texts(sent)).toEqual([look]);
  sent[0]!.answer!([{ subject: "s" }]);
  expect([a.found, b.found]).toEqual([[[{ subject: "s" }]], [[{ subject: "s" }]]]);
});

test("[S4] statements alike become one with arrays, and each caller gets its own rows", () => {
  const [a, b] = [asked(look, [7]), asked(look, [9])];
  const [sent] = combine([[a], [b]], known(look));
  expect(sent!.values).toEqual(["{7,9}"]);
  sent!.answer!([
    { n_of_caller: 2, subject: "nine" },
    { n_of_caller: 1, subject: "seven" },
  ]);
  expect([a.found, b.found]).toEqual([[[{ subject: "seven" }]], [[{ subject: "nine" }]]]);
});

test("[S4] values keep their quotes, backslashes and nulls in an array", () => {
  const all = ['a "b" \\ {c},', null, "null", ""].map((summary) => [asked(add, ["s", summary])]);
  expect(combine(all, known(add))[0]!.values[1]).toBe('{"a \\"b\\" \\\\ {c},",NULL,"null",""}');
});

test("[S4] the order of each caller is kept, and no caller's second change is put with its first", () => {
  const [x, y] = [() => asked(change, ["s", 1]), () => asked(add, ["s", "t"])];
  const sent = combine(
    [
      [x(), y(), x()],
      [y(), x()],
    ],
    known(),
  );
  expect(texts(sent)).toEqual([change, add, add, change, change]);
});

test("[S4] callers that ask apart get a row each; numbers that are drawn are not shared", () => {
  const draw = "select nextval('s') as number from generate_series(1, 64) limit 1";
  const both = [asked(draw, [], "apart"), asked(draw, [], "apart")];
  const [sent] = combine(
    both.map((one) => [one]),
    known(),
  );
  expect(sent!.text).toEndWith("limit 2");
  sent!.answer!([{ number: 4 }]);
  expect(both.map(({ found }) => found)).toEqual([[[{ number: 4 }]], [[]]]);
  const plain = [asked(draw, [], "none"), asked(draw, [], "none")];
  expect(combine([[plain[0]!], [plain[1]!]], known())).toHaveLength(2);
});

test("[S4] one caller's statements become one, except what reads or changes what an earlier one has changed", () => {
  const read = asked("select events.summary from events where events.source = $1", ["s"]);
  const sent = merge([asked(change, ["s", 1]), asked(add, ["s", "t"]), read, asked(change, ["t", 1])]);
  expect(sent).toHaveLength(2);
  expect(sent[0]!.text).toContain("values ($3, $4)");
  expect(sent[0]!.values).toEqual(["s", 1, "s", "t"]);
});

test("[S4] what locks, or is read and not looked at, is a statement of its own", () => {
  const lock = asked(`${look} for update`, [1]);
  const blind = { text: "select pg_sleep(0)", values: [], sharing: "alike" as const };
  expect(merge([lock, asked(look, [1]), blind, asked(add, ["s", "t"])])).toHaveLength(4);
});

test("[S4] reads of one caller are one statement, whether or not they are marked, and drawing numbers is one of its parts", () => {
  const number = asked("select nextval('s') as number from generate_series(1, 64) limit 1", [], "apart");
  const clock = asked("select clock_timestamp() as now", [], "none");
  const [sent, ...more] = merge([number, asked(look, [1], "there"), clock]);
  expect(more).toEqual([]);
  sent!.answer!([{ r0: [{ number: 7 }], r1: [], r2: [{ now: "t" }] } as unknown as Row]);
  expect([number.found, clock.found]).toEqual([[[{ number: 7 }]], [[{ now: "t" }]]]);
});

test("[S4] after a part that locks only the time is asked in the same statement", () => {
  const free = asked(`${look} for no key update of threads skip locked`, [1], "apart");
  const clock = asked("select clock_timestamp() as now", [], "none");
  expect(merge([asked(look, [2]), free, clock])).toHaveLength(1);
  expect(merge([free, asked(look, [2])])).toHaveLength(2);
  expect(merge([free, asked(add, ["s", "t"])])).toHaveLength(2);
});

test("[S4] what is added to a table that was changed is part of the same statement; what replaces or is read of it is not", () => {
  const changed = asked("update events set summary = $1 where source = $2", ["s", "t"]);
  expect(merge([changed, asked(add, ["s", "t"])])).toHaveLength(1);
  expect(merge([asked(add, ["s", "t"]), changed])).toHaveLength(2);
  expect(merge([changed, asked(`${add} on conflict do nothing`, ["s", "t"])])).toHaveLength(2);
  expect(merge([changed, asked("insert into events (source) select source from events", [])])).toHaveLength(
    2,
  );
});
