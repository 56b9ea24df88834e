/** Answers that nobody can take: what was not shown was not collected, and what was granted is given back. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openInbox } from "../../src/inbox/inbox.ts";
import { type Desk, desk, orch, program, type Result, run, start } from "../support/cli.ts";
import { served } from "../support/hub.ts";
import { counts, flaws, rows } from "../support/stored.ts";
import { until } from "../support/until.ts";

/** Standard outputs that take nothing. The program is told nothing; it finds out when it writes. */
const outputs = [
  {
    what: "a pipe whose reader has gone",
    script: 'exec 3> >(exit 0); wait $!; exec "$0" "$@" >&3 3>&-',
    code: 141,
  },
  { what: "a closed standard output", script: 'exec "$0" "$@" >&-', code: 141 },
  { what: "a full device", script: 'exec "$0" "$@" >/dev/full', code: 50 },
];

const speaking = (script: string) => ({ program: ["bash", "-c", script, program] });

function expectNoTrace({ stderr }: Result): void {
  expect(stderr).not.toMatch(/\n\s+at |bunfs|Bun v\d/);
}

/** A bus with one thread, in which the worker has asked and the leader has answered. */
async function busWithAnswer(): Promise<Desk> {
  const bus = await desk();
  await bus.inbox("send", "--from", "leader", "--to", "worker", "--subject", "s");
  await bus.inbox("claim", "thr_1", "--agent", "worker");
  await bus.inbox("update", "thr_1", "--agent", "worker", "--status", "blocked", "--summary", "Which?");
  const answered = await bus.inbox("reply", "thr_1", "--from", "leader", "--body", "This one.");
  expect(answered.json.message.message_id).toBe("msg_3");
  return bus;
}

const uncollected = (db: string) =>
  rows<{ id: number }>(db, "select message_id as id from messages where acked_at is null").map(
    (row) => row.id,
  );

/** For titles: the whole command, as one types it. */
const named = (commands: string[][]) => commands.map((args) => ({ command: args.join(" "), args }));

describe.each(outputs)("$what", ({ script, code }) => {
  const collecting = named([
    ["wait-reply", "thr_1", "--agent", "worker"],
    ["wait-reply", "thr_1", "--agent", "worker", "--json"],
    ["show", "thr_1", "--agent", "worker", "--mark-read"],
    ["show", "thr_1", "--agent", "worker", "--mark-read", "--json"],
  ]);

  test.each(collecting)("[W4] [T11] $command collects nothing and moves no cursor", async ({ args }) => {
    using bus = await busWithAnswer();
    // That something was handed over and came back may be told; nothing else may have changed.
    const state = () => ({ ...counts(bus.db), events: 0, uncollected: uncollected(bus.db) });
    const before = state();
    expect(before.uncollected).toContain(3);
    const result = await run(args, { cwd: bus.path, ...speaking(script) });
    expectNoTrace(result);
    expect(state()).toEqual(before);
    expect(result.code).toBe(code);
    // The next one gets it.
    const found = await bus.inbox("wait-reply", "thr_1", "--agent", "worker", "--timeout-seconds", "5");
    expect(found.json.message.message_id).toBe("msg_3");
    expect(uncollected(bus.db)).not.toContain(3);
  });

  const claiming = named([
    ["claim", "--agent", "worker"],
    ["claim", "--agent", "worker", "--json"],
    ["claim", "thr_1", "--agent", "stranger", "--json"],
    ["claim", "--agent", "worker", "--wait", "--json"],
  ]);

  test.each(claiming)("[W4] [L1] the lease of $command is given back", async ({ args }) => {
    using bus = await desk();
    await bus.inbox("send", "--from", "leader", "--to", "worker", "--subject", "s");
    const result = await run(args, { cwd: bus.path, ...speaking(script) });
    expectNoTrace(result);
    expect(rows(bus.db, "select status, assigned_to from threads")).toEqual([
      { status: "pending", assigned_to: "worker" },
    ]);
    expect(rows(bus.db, "select * from leases where released_at is null")).toEqual([]);
    expect(uncollected(bus.db)).toEqual([1]);
    expect(result.code).toBe(code);
    const claimed = await bus.inbox("claim", "--agent", "worker");
    expect(claimed.json.lease.attempt).toBe(1);
    expect(flaws(bus.db)).toEqual([]);
  });

  test.each(["a file", "a hub"])(
    "[W4] [B4.1] [L5.6] on %s, a claim of a thread that the same name held until its lease lapsed is given back",
    async (what) => {
      using bus = await desk();
      await using hub = what === "a hub" ? await served(bus.db) : undefined;
      await bus.inbox("send", "--from", "leader", "--to", "worker", "--subject", "s");
      await bus.inbox("claim", "--agent", "worker", "--lease-seconds", "1");
      // The one that waits gets it when the lease lapses.
      const args = ["claim", "--agent", "worker", "--wait", "--db", hub?.url ?? bus.db];
      const result = await run(args, { cwd: bus.path, ...speaking(script) });
      expectNoTrace(result);
      expect(result.code).toBe(code);
      expect(rows(bus.db, "select status, assigned_to from threads")).toEqual([
        { status: "pending", assigned_to: "worker" },
      ]);
      expect(rows(bus.db, "select * from leases where released_at is null")).toEqual([]);
      expect((await bus.inbox("claim", "--agent", "worker")).json.lease.attempt).toBe(2);
      expect(flaws(bus.db)).toEqual([]);
    },
  );

  test("[W4] [L5] a holder that claims again and cannot be answered keeps its lease", async () => {
    using bus = await busWithAnswer();
    const result = await run(["claim", "thr_1", "--agent", "worker"], { cwd: bus.path, ...speaking(script) });
    expectNoTrace(result);
    expect(rows(bus.db, "select status from threads")).toEqual([{ status: "blocked" }]);
    expect((await bus.inbox("done", "thr_1", "--agent", "worker")).code).toBe(0);
  });
});

/** A closed standard output is the runtime's /dev/null: whoever only reads loses nothing by it. */
const noticed = outputs.filter(({ what }) => what !== "a closed standard output");

describe.each(noticed)("$what", ({ script, code }) => {
  const answering = named([["list", "--json"], ["list"], ["--help"], ["help", "send"]]);

  test.each(answering)("[C2] [C3] $command ends without a trace", async ({ args }) => {
    using bus = await busWithAnswer();
    const result = await run(args, { cwd: bus.path, ...speaking(script) });
    expectNoTrace(result);
    expect(result.code).toBe(code);
  });

  test("[C2] an error that cannot be printed ends without a stack trace", async () => {
    using bus = await desk();
    const result = await run(["show", "thr_99", "--json"], { cwd: bus.path, ...speaking(script) });
    expectNoTrace(result);
    expect([40, code]).toContain(result.code);
  });

  test("[W4] [W6] watch --follow ends at the first event it cannot show", async () => {
    using bus = await busWithAnswer();
    const args = ["watch", "--follow", "--after-event", "0"];
    const result = await run(args, { cwd: bus.path, ...speaking(script) });
    expectNoTrace(result);
    expect(result.code).toBe(code);
  });
});

test("[B4] [C2] an MCP client that is gone when its answer is written: no trace, and its mail is another's at once", async () => {
  using bus = await desk();
  await bus.inbox("send", "worker", "hello", "--from", "leader");
  const clientInfo = { name: "t", version: "1" };
  const say = (request: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...request })}\n`);
    child.stdin.flush();
  };
  // Its reader leaves after the first line; its input stays open.
  const left = join(bus.path, "left");
  const script = `exec 3> >(head -n 1 >/dev/null; exec <&-; touch "${left}"); exec "$0" "$@" >&3 3>&-`;
  const child = start(["mcp"], { cwd: bus.path, ...speaking(script) });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  say({ id: 1, method: "initialize", params });
  await until("the reader has left", () => existsSync(left));
  say({ method: "notifications/initialized" });
  say({ id: 2, method: "tools/call", params: { name: "receive", arguments: { agent: "worker" } } });
  const [code, stderr] = [await child.exited, await new Response(child.stderr).text()];
  expect(stderr).toBe("");
  expect(code).toBe(0);
  expect(rows(bus.db, "select handed, hidden_until from messages")).toEqual([
    { handed: 1, hidden_until: null },
  ]);
  const { json } = await bus.inbox("receive", "--agent", "worker", "--timeout-seconds", "0");
  expect(json.messages).toMatchObject([{ message: "hello", redelivered: true }]);
});

test("[W4] a reader that leaves in the middle of an answer has not been shown it", async () => {
  using bus = await desk();
  const body = "x".repeat(1_000_000); // more than a pipe holds
  const send = ["send", "--from", "leader", "--to", "worker", "--subject", "s", "--body-file", "-"];
  expect((await run(send, { cwd: bus.path, stdin: body })).code).toBe(0);
  const script = 'set -o pipefail; "$0" "$@" | head -c 1 >/dev/null';
  for (const args of [
    ["show", "thr_1", "--agent", "worker", "--mark-read", "--json"],
    ["claim", "--agent", "worker", "--json"],
  ]) {
    const result = await run(args, { cwd: bus.path, ...speaking(script) });
    expect(result).toMatchObject({ code: 141, stderr: "" });
  }
  expect(uncollected(bus.db)).toEqual([1]);
  expect(counts(bus.db)).toMatchObject({ thread_reads: 0 });
  expect(rows(bus.db, "select status from threads")).toEqual([{ status: "pending" }]);
});

test("[B4] [C3] mail that has become another's while standard output was stuck: a warning, and exit 20", async () => {
  using bus = await desk();
  const later = openInbox(bus.db, { now: () => Date.now() + 61_000 });
  await later.call("mailbox.send", { from: "s", to: "w", message: "x".repeat(500_000) });
  const gate = join(bus.path, "gate");
  Bun.spawnSync(["mkfifo", gate]);
  // More than a pipe holds, and its reader waits to be told.
  const script = `set -o pipefail; "$0" "$@" | { read -r _ < "${gate}"; cat; }`;
  const stuck = run(["receive", "--agent", "w", "--json"], { cwd: bus.path, ...speaking(script) });
  await until(
    "the message is handed over",
    () => rows(bus.db, "select 1 from messages where handed = 1").length === 1,
  );
  expect((await later.call("mailbox.check", { agent: "w" })).messages).toMatchObject([{ redelivered: true }]);
  await later.close();
  Bun.spawnSync(["sh", "-c", `echo > "${gate}"`]);
  const result = await stuck;
  expect([result.code, result.json.total]).toEqual([20, 1]);
  expect(result.stderr).toContain("no longer yours");
  expectNoTrace(result);
});

test.each([
  ["mcp", "inbox", ["mcp"], "error standard output is closed: an MCP client reads the answers from it\n"],
  ["watch", "inbox", ["watch", "--follow"], ""],
  ["logs", "inbox", ["logs", "--follow"], ""],
  ["log", "orch", ["log", "one", "--follow"], ""],
] as const)("[C3.2] %s ends at once if standard output is closed", async (_, name, args, said) => {
  using at = await desk();
  await run(["push", "name=one", "worker=w", "x"], { cwd: at.path, program: [orch] });
  // Standard input stays open: a client that is there does not end it.
  const child = start(args, {
    cwd: at.path,
    program: ["sh", "-c", 'exec "$0" "$@" >&-', name === "orch" ? orch : program],
  });
  const [code, stderr] = await Promise.all([child.exited, new Response(child.stderr).text()]);
  expect([code, stderr]).toEqual([141, said]);
});

test.each([
  ["watch", "inbox", ["watch", "--follow"]],
  ["logs", "inbox", ["logs", "--follow"]],
  ["log", "orch", ["log", "one", "--follow"]],
] as const)("[C3.2] %s ends if its reader goes while it has nothing to print", async (_, name, args) => {
  using at = await desk();
  await run(["push", "name=one", "worker=w", "x"], { cwd: at.path, program: [orch] });
  const child = start(args, {
    cwd: at.path,
    program: ["sh", "-c", '("$0" "$@"; echo "exit $?" >&2) | true', name === "orch" ? orch : program],
  });
  const [, stderr] = await Promise.all([child.exited, new Response(child.stderr).text()]);
  expect(stderr).toEndWith("exit 141\n");
});
