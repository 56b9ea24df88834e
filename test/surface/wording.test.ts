/** What a person reads of an answer: once, at its real length, and with what to do next. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { InboxError } from "../../src/contract/errors.ts";
import { type AnyOperation, parseInput } from "../../src/contract/operation.ts";
import { operationNamed } from "../../src/contract/operations/index.ts";
import { limitWait } from "../../src/contract/waiting.ts";
import { permit } from "../../src/inbox/access.ts";
import { inputOf, toolNamed } from "../../src/surfaces/mcp/tools.ts";
import { inShell } from "../../src/surfaces/spelling/shell.ts";
import { plainPaint } from "../../src/surfaces/text/paint.ts";
import { render } from "../../src/surfaces/text/render.ts";
import { desk, run } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";

test("[C13] of its own long text a person is shown the beginning; JSON and the reader get all of it", async () => {
  using d = await desk();
  const text = "line of text\n".repeat(20_000);
  writeFileSync(join(d.path, "long.txt"), text);
  const ways = [
    ["send", "ada", "--message-file", "long.txt"],
    ["send", "--to", "ada", "--subject", "s", "--body-file", "long.txt", "--agent", "lead"],
    ["msg", "send", "topic", "--content-file", "long.txt"],
  ];
  for (const way of ways) {
    const { stdout, code } = await d.human(...way);
    expect([way[0], code, stdout.length < 4000]).toEqual([way[0], 0, true]);
    expect(stdout).toContain("characters were stored)");
  }
  expect((await d.inbox(...ways[0]!)).json.message.body.trim()).toBe(text.trim());
  expect((await d.human("receive", "--agent", "ada")).stdout.length).toBeGreaterThan(text.length);
});

test("[M13] a name that was only written to is no suggestion where it is a near miss of an agent", async () => {
  using d = await desk();
  await d.inbox("send", "user", "x", "--agent", "ada");
  await d.inbox("send", "adda", "x");
  const again = await d.human("send", "addda", "x");
  expect(again.stdout).toEndWith('note nobody has used the name "addda" yet; did you mean ada?\n');
  await d.inbox("msg", "send", "builds", "x");
  expect((await d.human("msg", "inbox", "bulds")).stdout).toContain("did you mean builds?");
});

test("[M13.6] reading a channel that nobody has used says so, also where no name is like it", async () => {
  using d = await desk();
  for (const command of ["inbox", "pending"])
    expect((await d.human("msg", command, "nochannel")).stdout).toEndWith(
      'note nobody has used the name "nochannel" yet\n',
    );
  await d.inbox("msg", "send", "used", "x");
  await d.inbox("msg", "ack", "1");
  expect((await d.human("msg", "pending", "used")).stdout).toBe("0 pending messages on used\n");
});

test("[L10] a reason is shown once", async () => {
  using d = await desk();
  const { thread } = (await d.inbox("send", "--to", "ada", "--subject", "s", "--agent", "lead")).json;
  await d.inbox("claim", "--agent", "ada");
  await d.inbox("reassign", thread.thread_id, "--to", "bob", "--reason", "busy", "--agent", "lead");
  const shown = (await d.human("show", thread.thread_id)).stdout;
  expect(shown).toContain("stop working on it (busy)\n");
  // As the text of bob's assignment; ada is told in one line.
  expect(shown.match(/│ busy/g)).toHaveLength(1);
});

test("[C15.8] a field is found by the name that the command line has for it", async () => {
  using d = await desk();
  const unknown = await d.human("send", "--receiver-id", "ada", "hi");
  expect(unknown.code).toBe(30);
  const named = await d.human("msg", "send", "topic", "x", "--ttl-seconds", "3");
  expect(named.stderr).toContain('did you mean "--ttl"');
});

test("[C15.8] one mechanism names the field for requests, programs and models", () => {
  const refusedBy = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      return (error as Error).message;
    }
    return "nothing";
  };
  const send = operationNamed("threads.send");
  expect(refusedBy(() => parseInput(send, { agent: "leader", to: "w", subject: "s" }))).toBe(
    'there is no field agent; did you mean "from"?',
  );
  const handoff = operationNamed("tasks.handoff") as AnyOperation;
  expect(refusedBy(() => parseInput(handoff, { agent: "a", prompt: "do it" }))).toBe(
    'there is no field prompt; did you mean "message"?',
  );
  const { tool } = toolNamed("handoff", {})!;
  expect(refusedBy(() => inputOf(tool, { prompt: "do it" }))).toBe(
    'there is no field prompt; did you mean "message"?',
  );
});

test("[W3] a wait that is too long for HTTP is told how long it may be", () => {
  const receive = operationNamed("mailbox.receive") as AnyOperation;
  try {
    limitWait(receive, { timeoutSeconds: 1000 });
    expect.unreachable();
  } catch (error) {
    expect((error as InboxError).hint).toBe(
      "give timeoutSeconds of at most 600, and call again: nothing is missed in between",
    );
  }
});

test("[A2] a merge that failed says what to do next", () => {
  const output = {
    merged: false,
    into: "main",
    commit: null,
    already: false,
    reason: "conflict",
    conflicts: ["f"],
    output: null,
    told: null,
    fix: { name: "v", path: "/tmp/a b", branch: "orch/v" },
    others: [],
  } as const;
  const shown = (told: string | null) =>
    render("tasks.merge", { ...output, told } as never, plainPaint, () => inShell());
  expect(shown(null)).toBe(
    "conflict with main in f; nothing was merged\nnext git -C '/tmp/a b' merge main; fix this there and commit; then: orch merge v merges it, orch discard v deletes the changes",
  );
  expect(shown("v")).toContain("v was told what is wrong\nnext when v has finished: orch merge v merges it");
});

test("[X10] a refusal for lack of scope calls an assignment the thread that it is", () => {
  const target = { kind: "assignment", id: "thr_1", does: "change" } as const;
  const looking = permit("w", "worker", target);
  let thrown: unknown;
  try {
    // Whoever reads it finds another agent's thread.
    for (let step = looking.next(); !step.done; )
      step = looking.next([{ created_by: "lead", assigned_to: "bob", addressed_to: "bob" }] as never);
  } catch (error) {
    thrown = error;
  }
  expect((thrown as InboxError).message).toStartWith('"w" may not change the thread thr_1: the thread is');
});

test("[N2] of two hubs of a bus, up finds the one that is asked for", async () => {
  using d = await desk();
  const hubs = [d.start("serve", "--port", "0"), d.start("serve", "--port", "0")];
  try {
    const ports = async () =>
      (await d.inbox("status")).json.hubs.map(({ url }: { url: string }) => new URL(url).port) as string[];
    await until("both are recorded", async () => (await ports()).length === 2);
    for (const port of await ports()) {
      const up = await d.inbox("up", "--port", port);
      expect([up.code, up.json.already, new URL(up.json.hub.url).port]).toEqual([0, true, port]);
    }
    expect((await d.human("up", "--port", "1")).stderr).toContain("a hub already serves this bus at");
  } finally {
    for (const hub of hubs) hub.kill();
    await Promise.all(hubs.map((hub) => hub.exited));
  }
});

test("[N1] a quickstart in a folder that cannot be written reports the error of its command, once", async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, ".agents"), "a file where the folder should be");
  const { stderr, code } = await run(["quickstart", "--no-open", "--yes"], { cwd: folder.path });
  expect(code).not.toBe(0);
  expect(stderr.match(/^error /gm)).toHaveLength(1);
  expect(stderr.match(/\(storage\)|\(invalid_input\)/g)).toHaveLength(1);
});

test("[S2] help of init says which database a .gitignore is made for", async () => {
  using d = await desk();
  expect((await d.human("init", "--help")).stdout).toContain("a database elsewhere is for you to ignore");
});
