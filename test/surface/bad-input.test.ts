/**
 * What users get wrong: a clear error with the right code, and nothing written. Where many texts are looked at, the commands share
 * one process (test/support/warm.ts).
 */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fieldsOf } from "../../src/contract/fields.ts";
import { table } from "../../src/contract/operations/index.ts";
import { flagsOf } from "../../src/surfaces/cli/flags.ts";
import { desk, program, run } from "../support/cli.ts";
import { runWarm, warmDesk } from "../support/warm.ts";

/** Everything in the database, to see that nothing was written. */
async function contents(db: string): Promise<string> {
  const { Database } = await import("bun:sqlite");
  const connection = new Database(db, { readonly: true });
  const tables = connection
    .query("select name from sqlite_schema where type = 'table' order by name")
    .all() as { name: string }[];
  const all = tables.map(({ name }) => [name, connection.query(`select * from "${name}"`).all()]);
  connection.close();
  return JSON.stringify(all);
}

const long = ["send", "--from", "a", "--to", "b", "--subject", "s"];

test("[C3] names, numbers and text out of bounds are refused, and nothing is written", async () => {
  using at = await warmDesk();
  await at.inbox(...long);
  const before = await contents(at.db);
  const cases: [string, string[]][] = [
    ["invalid_input", ["send", "--from", "a\nb", "--to", "b", "--subject", "s"]],
    ["invalid_input", ["send", "--from", "a", "--to", "x".repeat(129), "--subject", "s"]],
    ["invalid_input", ["send", "--from", "a", "--to", "*", "--subject", "s"]],
    ["invalid_input", ["send", "--from=-a", "--to", "b", "--subject", "s"]],
    ["invalid_input", ["send", "--from", "a", "--to", " b", "--subject", "s"]],
    ["invalid_input", ["claim", "--agent", "a\u0085", "thr_1"]],
    ["invalid_input", ["claim", "--agent", "w", "thr_1", "--lease-seconds", "-5"]],
    ["invalid_input", ["claim", "--agent", "w", "thr_1", "--lease-seconds", "99999999999999999999"]],
    ["invalid_input", ["claim", "--agent", "w", "thr_1", "--lease-seconds", "1e3"]],
    ["invalid_input", ["claim", "--agent", "w", "thr_1", "--lease-seconds", "ten"]],
    ["invalid_input", ["claim", "--agent", "w", "thr_0"]],
    ["invalid_input", ["claim", "--agent", "w", "thr_-1"]],
    ["invalid_input", ["claim", "--agent", "w", "thr_99999999999999999999"]],
    ["invalid_input", ["claim", "--agent", "w", "msg_1"]],
    ["invalid_input", ["fetch", "--agent", "w", "--limit", "0"]],
    ["invalid_input", ["fetch", "--agent", "w", "--limit", "1001"]],
    ["invalid_input", ["list", "--status", "pending,finished"]],
    ["invalid_input", ["wait-reply", "thr_1", "--timeout-seconds", "-1"]],
    ["invalid_input", ["wait-reply", "thr_1", "--after-event", "-1"]],
    ["invalid_input", [...long, "--payload-json", "[1]"]],
    ["invalid_input", [...long, "--payload-json", "{"]],
    ["invalid_input", [...long, "--payload-json", '"text"']],
    ["invalid_input", [...long, "--payload-json", '{"a":"\\u0000"}']],
    ["invalid_input", [...long, "--payload-json", '{"a":"\\ud800"}']],
    [
      "too_large",
      [...long, "--subject-too-long-is-tested-below"].slice(0, 5).concat("--subject", "x".repeat(1025)),
    ],
    ["invalid_input", ["send", "b", "hello", "world"]],
    ["invalid_input", ["send", "b", "hello", "--subject", "s"]],
    ["invalid_input", ["send", "b"]],
  ];
  for (const [code, args] of cases) {
    const { json, code: exit } = await at.inbox(...args);
    expect([args, exit, json.error.code]).toEqual([args, 30, code]);
    expect(json.error.message.length).toBeGreaterThan(10);
  }
  expect(await contents(at.db)).toBe(before);
});

test("[C3] an empty string is refused for every flag that takes a value", async () => {
  using at = await warmDesk();
  await at.inbox(...long);
  const before = await contents(at.db);
  for (const op of table)
    for (const flag of flagsOf(op)) {
      if (flag.value === undefined) continue;
      const needed = fieldsOf(op.input())
        .filter((field) => field.required && field.key !== flag.field.key)
        .flatMap((field) => [`--${field.key}`, field.key === "thread" ? "thr_1" : "x"]);
      const artifact = flag.role.startsWith("artifact-") ? ["--artifact", "x"] : [];
      const { json, code } = await at.inbox(
        ...op.cli.command.split(" "),
        ...needed,
        ...artifact,
        flag.name,
        "",
      );
      expect([op.name, flag.name, code, json.error?.code]).toEqual([op.name, flag.name, 30, "invalid_input"]);
    }
  expect(await contents(at.db)).toBe(before);
});

test("[C3] a body of 5 MB is too_large, and the hint says to attach a file; 1 MiB is fine", async () => {
  using at = await desk();
  const big = join(at.path, "big.txt");
  writeFileSync(big, "x".repeat(5_000_000));
  const { json, code } = await at.inbox(...long, "--body-file", big);
  expect([code, json.error.code]).toEqual([30, "too_large"]);
  expect(json.error.hint).toContain("--artifact");
  const piped = await run([...long, "--body-file", "-", "--json"], {
    cwd: at.path,
    stdin: "x".repeat(5_000_000),
  });
  expect(piped.json.error.code).toBe("too_large");
  writeFileSync(big, "ü".repeat(524_288));
  expect((await at.inbox(...long, "--body-file", big)).json.message.body).toHaveLength(524_288);
  writeFileSync(big, "ü".repeat(524_289));
  expect((await at.inbox(...long, "--body-file", big)).json.error.code).toBe("too_large");
});

test("[C3] invalid UTF-8 is refused, in a file and as an argument; U+FFFD itself is accepted", async () => {
  using at = await desk();
  const before = await contents(at.db);
  const bad = join(at.path, "bad.txt");
  writeFileSync(bad, Uint8Array.of(0x61, 0xff, 0x62));
  expect((await at.inbox(...long, "--body-file", bad)).json.error.code).toBe("invalid_input");
  writeFileSync(bad, "a\u0000b");
  expect((await at.inbox(...long, "--body-file", bad)).json.error.code).toBe("invalid_input");
  const shell = Bun.spawn(["bash", "-c", `"$1" send b $'a\\xffb' --json`, "-", program], {
    cwd: at.path,
    stdout: "pipe",
  });
  const answer = JSON.parse(await new Response(shell.stdout).text());
  expect(answer.error.code).toBe("invalid_input");
  expect(await contents(at.db)).toBe(before);
  expect((await at.inbox("send", "b", "a\ufffdb")).json.message.body).toBe("a\ufffdb");
});

test("[C2] a mistyped command, flag, status or name is answered with the closest right one", async () => {
  using at = await warmDesk();
  const message = async (...args: string[]) => (await at.inbox(...args)).json.error.message;
  expect(await message("calim")).toContain('did you mean "claim"?');
  expect(await message("wait-repyl")).toContain('did you mean "wait-reply"?');
  expect(await message("pool")).toContain("one of: join, leave");
  expect(await message("pool", "jion")).toContain('did you mean "join"?');
  expect(await message("claim", "--tread", "thr_1")).toContain('did you mean "--thread"?');
  expect(await message("list", "--status", "bloked")).toContain('did you mean "blocked"?');
  expect(await message("update", "thr_1", "--agent", "w", "--status", "in-progress")).toContain(
    'did you mean "in_progress"?',
  );
  expect(await message("claim", "--thread")).toContain("--thread needs a value");
  expect(await message("claim", "--thread", "--json")).toContain("--thread needs a value");
  expect(await message("list", "--json=yes")).toContain("takes no value");
  expect(await message("list", "extra")).toContain('unexpected argument "extra"');
  expect((await at.inbox("send", "a", "b", "c")).json.error.hint).toContain("inbox send a 'b c'");
  expect(await message("send", "--to", "a", "--to", "b")).toContain("given more than once");
});

test("[C15.6] of an unknown flag, flags that contain it as whole words come before those with similar letters", async () => {
  using at = await warmDesk();
  const message = async (...args: string[]) => (await at.inbox(...args)).json.error.message;
  expect(await message("list", "--to", "ada")).toBe(
    'inbox list has no flag --to; did you mean "--assigned-to"?',
  );
  expect(await message("claim", "--seconds", "5")).toEndWith(
    'did you mean "--lease-seconds" or "--timeout-seconds"?',
  );
  expect(await message("list", "--tok", "ada")).toEndWith('did you mean "--token"?');
});

test("[C2] a refusal without a better hint has an example of the command", async () => {
  using at = await warmDesk();
  const hint = async (...args: string[]) => (await at.inbox(...args)).json.error.hint;
  expect(await hint("show")).toBe("for example: inbox show thr_123; inbox show --help shows more");
  expect(await hint("renew", "--agent", "w")).toStartWith("for example: inbox renew ");
  const timeout = await runWarm(["push", "timeout=5m", "x", "--json"], { cwd: at.path }, "orch");
  expect(timeout.json.error.message).toStartWith("--timeout must be a number of seconds from ");
});

test("[C8] help knows every command that is listed, including those that are not operations", async () => {
  for (const one of ["inbox", "orch"] as const) {
    const ask = (...args: string[]) => runWarm(args, {}, one);
    const listed = (await ask("--help")).stdout
      .match(/(?<=COMMAND \[flags\]\n).+(?=Global flags:)/s)![0]
      .matchAll(/^ {2}([a-z -]+?)(?: [A-Z]+)* {2}/gm);
    // `ask --wait` is another form of `ask`.
    for (const words of [...listed].map(([, each]) => each!.replace(/ --.*/, "")))
      for (const asked of [
        ["help", ...words.split(" ")],
        [...words.split(" "), "--help"],
      ]) {
        const { code, stdout } = await ask(...asked);
        expect([one, asked, code]).toEqual([one, asked, 0]);
        expect(stdout).toContain(`Usage: ${one} ${words}`);
      }
  }
});

test("[C2] no command ever prints a stack trace", async () => {
  using at = await warmDesk();
  for (const op of table) {
    const { stderr, stdout } = await at.human(...op.cli.command.split(" "), "--nonsense", "\u0007");
    expect(stderr + stdout).not.toMatch(/\n\s+at |\.ts:\d+/);
    expect(stderr).toContain("hint");
  }
});

test("[C2] commands that share a process are answered as the program answers them", async () => {
  using at = await warmDesk();
  for (const args of [
    ["claim", "--nonsense"],
    ["send", "b"],
    ["claim", "--help"],
    ["calim", "--json"],
    ["list"],
    ["agents", "--json"],
  ]) {
    const { code, stdout, stderr } = await at.human(...args);
    const { code: exit, stdout: printed, stderr: complained } = await run(args, { cwd: at.path });
    expect([args, code, stdout, stderr]).toEqual([args, exit, printed, complained]);
  }
});
