/** [C14] Below the command line nothing is spelled as it is typed: operations and fields are references. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errorTable, InboxError } from "../../src/contract/errors.ts";
import { fieldsOf } from "../../src/contract/fields.ts";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { table } from "../../src/contract/operations/index.ts";
import {
  asInPrograms,
  blank,
  call,
  field,
  fileOf,
  help,
  option,
  phrase,
  variable,
} from "../../src/contract/phrase.ts";
import { inRequests } from "../../src/surfaces/spelling/rest.ts";
import { inShell } from "../../src/surfaces/spelling/shell.ts";
import { inTools } from "../../src/surfaces/spelling/tools.ts";
import { root } from "../support/cli.ts";
import { textsIn } from "../support/source-texts.ts";

const operations = table as readonly AnyOperation[];
const named = (name: string) => operations.find((op) => op.name === name)!;

/** Where words of a shell are data, and of what. */
const allowed: readonly { file: RegExp; text: RegExp; why: string }[] = [
  { file: /^orch\/runners\/|^orch\/resume/, text: /^--/, why: "flags of agent programs that are started" },
  { file: /^orch\/profile/, text: /--(model|flag)/, why: "flags in agents.toml" },
  { file: /^orch\/operations/, text: /--model/, why: "flags in agents.toml" },
  { file: /^orch\/(keepers|ensure|find-tree|program)/, text: /^--/, why: "arguments of our own processes" },
  { file: /^(admin\/bus-up|service\/background)/, text: /^--/, why: "arguments of our own processes" },
  {
    file: /^service\/systemd/,
    text: /^--|^# Made by/,
    why: "arguments of systemctl, and a comment in its file",
  },
  { file: /^setup\/clients/, text: /^(claude|codex|gemini|opencode) /, why: "commands of agent programs" },
  { file: /^setup\//, text: /^--db$/, why: "arguments in the files of MCP clients" },
  { file: /^(orch\/approval|admin\/tracked-files)/, text: /git rm --cached/, why: "a command of git" },
  { file: /^admin\/left-worktrees/, text: /worktree remove --force/, why: "a command of git" },
  { file: /^orch\/(worktree|operations\/tasks-diff)/, text: /^--/, why: "arguments of git" },
  { file: /^contract\/operations/, text: /^ask --wait$/, why: "how the list of commands shows it" },
  { file: /^main/, text: /^--version$/, why: "it is the command line" },
  { file: /^surfaces\/spelling\/shell/, text: /--(help|agent)/, why: "it is what spells them" },
];

const commands = operations.map(({ cli }) => cli.command).join("|");
const shell = new RegExp(
  `(^|[\\s"'\`(=])--[a-z]|\\b(inbox|orch) (--|${commands}|help|shell|completion)(?![\\w-])(?!:)`,
);

/** Examples of an operation are declared as commands. */
const withoutExamples = (source: string) => source.replace(/^ {2}examples: \[[\s\S]*?\],\n/m, "");

const sources = [...new Bun.Glob("**/*.ts").scanSync(join(root, "src"))]
  .filter((file) => !file.startsWith("surfaces/cli/") && !file.endsWith(".d.ts"))
  .sort()
  .map((file) => ({ file, source: withoutExamples(readFileSync(join(root, "src", file), "utf8")) }));

test("[C14] no flag and no command stands in a text below the command line", () => {
  const used = new Set<object>();
  let count = 0;
  const found = sources.flatMap(({ file, source }) =>
    textsIn(source).flatMap((text) => {
      count++;
      if (!shell.test(text)) return [];
      const reason = allowed.find((one) => one.file.test(file) && one.text.test(text));
      if (reason) used.add(reason);
      return reason ? [] : [`${file}: ${text}`];
    }),
  );
  expect(count).toBeGreaterThan(5000);
  expect(found).toEqual([]);
  expect(allowed.filter((one) => !used.has(one)).map(({ file }) => String(file))).toEqual([]);
});

describe("references", () => {
  const pattern =
    /(?<![\w.])(call|calling|field|help|fileOf)\(\s*"([\w.]+)"(?:,\s*(?:\{((?:[^{}]|\{[^{}]*\})*)\}|[^,()]*(?:\([^()]*\))?))?(?:,\s*"([\w.]+)")?/g;
  const calls = sources.flatMap(({ file, source }) =>
    source.includes("/phrase.ts")
      ? [...source.matchAll(pattern)].map(([, name, first, input = "", third]) => ({
          file,
          field: name === "field" || name === "fileOf" ? first : undefined,
          operation: name === "field" ? third : name === "fileOf" ? undefined : first,
          keys: [...input.matchAll(/(?:^|,)\s*(\w+)(?=\s*[:,]|\s*$)/g)].map(([, key]) => key!),
        }))
      : [],
  );
  const keysOf = (op: AnyOperation) => fieldsOf(op.input()).map(({ key }) => key);

  test("[C14] name operations that there are, and fields that they have", () => {
    const all = operations.flatMap(keysOf);
    for (const { file, field: named, operation, keys } of calls) {
      const op = operations.find(({ name }) => name === operation);
      expect([file, operation, op?.name]).toEqual([file, operation, operation]);
      // Who calls is an option of the program, too.
      const known = op ? [...keysOf(op), "agent"] : all;
      for (const key of named === undefined ? keys : [named])
        expect([file, operation, key, known.includes(key)]).toEqual([file, operation, key, true]);
    }
    expect(calls.length).toBeGreaterThan(100);
    expect(calls.flatMap(({ keys }) => keys).length).toBeGreaterThan(30);
  });

  test("[C14] are spelled by each surface as its caller writes them", () => {
    const claim = named("threads.claim");
    const wait = field("wait");
    expect([inShell(claim)(wait), inRequests(wait), inTools(claim)(wait), asInPrograms(wait)]).toEqual([
      "--wait",
      "wait",
      "wait",
      "wait",
    ]);
    const inbox = named("messages.inbox");
    const after = field("afterId", 7);
    expect([inShell(inbox)(after), inRequests(after), inTools(inbox)(after), asInPrograms(after)]).toEqual([
      "--after 7",
      "afterId: 7",
      "afterId 7",
      "afterId: 7",
    ]);
    const release = call("threads.release", { thread: "thr_1", force: true });
    expect([inShell()(release), inRequests(release), inTools()(release), asInPrograms(release)]).toEqual([
      "inbox release thr_1 --force",
      'POST /api/threads/thr_1/release with {"force": true}',
      'release {"thread": "thr_1", "force": true}',
      'threads.release({ thread: "thr_1", force: true })',
    ]);
    const send = call("mailbox.send", { to: blank("AGENT"), message: blank("…") });
    expect([inShell()(send), inRequests(send), inTools()(send)]).toEqual([
      'inbox send AGENT "…"',
      'POST /api/mailbox/AGENT/send with {"message": "…"}',
      'send_message {"receiver_id": AGENT, "message": "…"}',
    ]);
    // What a surface does not have is spelled for whoever has a shell; a model has none.
    const serve = call("bus.serve", { dev: true });
    expect([inShell()(serve), inRequests(serve), inTools()(serve)]).toEqual([
      "inbox serve --dev",
      "inbox serve --dev",
      undefined,
    ]);
    const init = call("bus.init", {}, { db: "/a b/c.db" });
    expect(inShell()(init)).toBe("inbox init --db '/a b/c.db'");
  });

  test("[C14] leave out what a caller can do nothing with, and nothing else", () => {
    const hint = phrase`add ${field("summary", blank("one line"))}, or ${fileOf("body")}; ${call("bus.doctor")} tells more`;
    const error = new InboxError("invalid_input", phrase`see ${help()}`, { hint });
    expect(error.shape(inShell(named("threads.reply"))).hint).toBe(
      'add --summary "one line", or --body-file PATH; inbox doctor tells more',
    );
    expect(error.shape(inTools(named("threads.reply")))).toEqual({
      code: "invalid_input",
      message: "see the schema of reply",
      hint: 'add summary "one line"',
    });
    const set = phrase`set ${variable("INBOX_AGENT")}, or use ${option("db")}`;
    expect(new InboxError("invalid_state", "x", { hint: set }).shape(inTools()).hint).toBe(
      'show {"thread": THREAD} shows the thread\'s state',
    );
  });

  test("[C14] [X15] hold no token and no password", () => {
    const token = `rst_${"a".repeat(40)}`;
    const { hint, message } = new InboxError("invalid_input", phrase`${field("to", token)}`, {
      hint: phrase`${call("mailbox.send", { to: token })}`,
    }).shape(inShell());
    expect(`${hint} ${message}`).not.toContain(token);
  });
});

test("[C14] every default hint has text on every surface, except where a model gets another one", () => {
  for (const { hint } of Object.values(errorTable))
    for (const spelling of [inShell(), inRequests, asInPrograms])
      expect(new InboxError("invalid_input", "x", { hint }).shape(spelling).hint).not.toMatch(/undefined|^$/);
});
