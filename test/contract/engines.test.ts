import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { table } from "../../src/contract/operations/index.ts";
import { root } from "../support/cli.ts";
import { engines } from "../support/engines.ts";

test("[G1] every contract test runs on SQLite, through a remote hub, on Postgres and with RabbitMQ", () => {
  expect(engines.map(({ name }) => name)).toEqual([
    "sqlite",
    "hub",
    ...(process.env.TEST_POSTGRES ? ["postgres"] : []),
    ...(process.env.TEST_POSTGRES && process.env.TEST_RABBITMQ ? ["rabbitmq"] : []),
  ]);
  const files = readdirSync(import.meta.dir).filter(
    (file) => file.endsWith(".test.ts") && file !== "engines.test.ts",
  );
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    const text = readFileSync(join(import.meta.dir, file), "utf8");
    expect([file, text.includes("describe.each(engines)"), /^test\(/m.test(text)]).toEqual([
      file,
      true,
      false,
    ]);
  }
});

/** What each list is ordered by, whichever answer has it. A new one is a line here, a word in [G6] and a test in order.test.ts. */
const orders: Record<string, string> = {
  after: "as they were pushed",
  agents: "by name",
  answers: "as they came",
  artifacts: "by number",
  changes: "as git lists them, by path",
  channels: "by name",
  checks: "the engine first, then what depends on it",
  choices: "as given",
  command: "the words of a command",
  commits: "oldest first",
  conflicts: "by path",
  copies: "by name",
  dead: "as asked for",
  deleted: "in the order in which kinds are deleted",
  docs: "as given",
  documents: "as given",
  others: "oldest first",
  mutes: "agents by name, then threads by number",
  entries: "newest first, then the later written; in an export as written; of a transcript as they happened",
  events: "by number",
  configured: "as setup knows them",
  findings: "as the reviewer gave them, round by round",
  fixable: "as checked",
  found: "as setup knows them",
  results: "as they came",
  finished: "by their end, then as they were pushed",
  days: "newest first",
  hours: "oldest first",
  hits: "best first, then newest, then by kind, then the later one",
  elsewhere: "by the name of its file",
  ended: "by name",
  held: "those that end soonest first, then by thread number",
  kept: "of a backup: the database first, then what was beside it; documents as given",
  leases: "those that end soonest first, then by thread number",
  left: "by process number",
  lines: "as they were written",
  killed: "parents first, then as they were pushed",
  matches: "as they stand in the text",
  members: "by name",
  messages: "by number; newest first where that is asked for",
  missing: "as asked for",
  pools: "by name",
  profiles: "built-in ones first, then as in the file",
  queued: "as they start, those that may start first",
  queues: "the longest first, then by name",
  quotas: "everybody's first, then by name",
  readers: "by name",
  records: "by number",
  released: "as they start",
  resume: "the words of a command",
  rules: "in the order in which kinds are deleted",
  hubs: "by process number",
  stopped: "by process number",
  subAgents: "by their start, then as they were pushed",
  waiters: "by name",
  running: "by their start, then as they were pushed",
  runs: "as in the file, gates behind their profile",
  similar: "closest first, then by name",
  tables: "as they are copied",
  threads: "fetch: by priority, then number; list: the highest number first",
  tokens: "by number",
  unknown: "the caller, then as asked for",
  unused: "most mail first, then by the number of the oldest",
  waiting: "as they were pushed",
  warnings: "as they were found",
  workspaces: "by creation, then id",
};

interface Schema {
  type?: string;
  entries?: Record<string, Schema>;
  item?: Schema;
  wrapped?: Schema;
  options?: Schema[];
}

/** The lists in a schema, by their paths. A tuple has its order in its type. */
function listsIn(schema: Schema, path: string): string[] {
  const within = [
    ...Object.entries(schema.entries ?? {}).flatMap(([key, inner]) => listsIn(inner, `${path}.${key}`)),
    ...(schema.wrapped ? listsIn(schema.wrapped, path) : []),
    ...(schema.options ?? []).filter((option) => option?.type).flatMap((option) => listsIn(option, path)),
  ];
  return schema.type === "array" ? [path, ...listsIn(schema.item!, path)] : within;
}

test("[G6] every list in every operation's answer is one whose order is said", () => {
  const found = table.flatMap(({ name, output }) => listsIn(output() as Schema, name));
  expect(found.filter((path) => !(path.split(".").at(-1)! in orders))).toEqual([]);
  const names = new Set(found.map((path) => path.split(".").at(-1)!));
  expect(Object.keys(orders).filter((name) => !names.has(name))).toEqual([]);
});

test("[G1] the closing table counts each test once, and knows why one failed", async () => {
  const { testsIn, engineTable, reasonOf } = await import(join(root, "scripts/test-output.mjs"));
  // As Bun prints two files beside each other; at the end of a long run it names again what failed.
  const output = `
test/a.test.ts:
(pass) sqlite > [G1] one [0.01ms]
(fail) postgres > [G1] two [0.73ms]

test/b.test.ts:
error: of b
(fail) [G1] alone [301.32ms]

test/a.test.ts:
error: of a
(pass) hub > [G1] slow [1201.46ms]
error: of c
      at <anonymous> (/x/test/c.test.ts:1:2)
(skip) rabbitmq > [G1] left out

test/c.test.ts:
(fail) [G1] last [5.00ms]

3 tests failed:
(fail) postgres > [G1] two [0.73ms]
(fail) [G1] alone [301.32ms]
(fail) [G1] last [5.00ms]

 2 pass
 1 skip
 3 fail
`;
  const tests = testsIn(output);
  expect(tests.map(({ word }: { word: string }) => word)).toEqual([
    "pass",
    "fail",
    "fail",
    "pass",
    "skip",
    "fail",
  ]);
  expect(
    engineTable(tests)
      .split("\n")
      .map((line: string) => line.trim().split(/ +/).join(" ")),
  ).toEqual(["sqlite hub postgres rabbitmq", "pass 1 1 0 0", "fail 0 0 1 0", "skip 0 0 0 1"]);
  const reasons = [tests[1], tests[2], tests[5]].map((test) => reasonOf(test, tests).split("\n")[0]);
  expect(reasons).toEqual(["error: of a", "error: of b", "error: of c"]);
});
