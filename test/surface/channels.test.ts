/** `inbox msg` as its protocol shows it: bare JSON in camelCase, its own lines for people, and its shell loops. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { bareEnvironment, desk, root, run } from "../support/cli.ts";

const fields = [
  "id",
  "channel",
  "sender",
  "content",
  "status",
  "correlationId",
  "taskId",
  "metadata",
  "createdAt",
  "ackedAt",
  "expiresAt",
  "threadId",
  "kind",
  "senderVerified",
];

test("[C2] [M1] msg send prints the message itself, in camelCase", async () => {
  using at = await desk();
  const args = [
    "--sender",
    "ci",
    "--ttl",
    "3600",
    "--correlation",
    "req-1",
    "--task",
    "T1",
    "--metadata",
    '{"Version X":"2.3.1"}',
  ];
  const { code, json } = await at.inbox("msg", "send", "builds", "Deploy v2.3.1 complete", ...args);
  expect(code).toBe(0);
  expect(Object.keys(json)).toEqual([...fields, "recipient"]);
  expect(json).toMatchObject({
    id: 1,
    channel: "builds",
    sender: "ci",
    correlationId: "req-1",
    taskId: "T1",
    metadata: { "Version X": "2.3.1" },
  });
  expect(Date.parse(json.expiresAt) - Date.parse(json.createdAt)).toBe(3_600_000);
  expect((await at.inbox("msg", "send", "builds", "x")).json.sender).toBe("cli");
});

test("[C2] [M2] msg inbox prints a bare array; people get the lines of the protocol", async () => {
  using at = await desk();
  await at.inbox("msg", "send", "agent-1", "Task tx-abc123 is ready", "--sender", "orchestrator");
  await at.inbox("msg", "send", "agent-1", "Build passed", "--sender", "ci");
  const { json } = await at.inbox("msg", "inbox", "agent-1");
  expect(json.map((message: object) => Object.keys(message))).toEqual([fields, fields]);
  const { stdout } = await at.human("msg", "inbox", "agent-1");
  expect(stdout).toMatch(
    /^\[1\] \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ orchestrator: Task tx-abc123 is ready\n\[2\] .* ci: Build passed\n2 message\(s\)\n$/,
  );
  expect((await at.inbox("msg", "inbox", "agent-1", "--after", "1")).json).toHaveLength(1);
  expect((await at.inbox("msg", "inbox", "agent-1", "--sender", "ci")).json).toHaveLength(1);
  expect((await at.inbox("msg", "inbox", "nothing")).json).toEqual([]);
});

test("[C2] [M4] ack, ack all, pending, gc, replies, status", async () => {
  using at = await desk();
  for (const text of ["a", "b", "c"]) await at.inbox("msg", "send", "ch", text, "--correlation", "r");
  expect((await at.inbox("msg", "ack", "1")).json).toMatchObject({ id: 1, status: "acked", already: false });
  expect((await at.inbox("msg", "ack", "1")).json).toMatchObject({ id: 1, already: true });
  expect((await at.inbox("msg", "pending", "ch")).json).toEqual({ channel: "ch", count: 2 });
  expect((await at.inbox("msg", "replies", "r")).json.map(({ id }: { id: number }) => id)).toEqual([2, 3]);
  expect((await at.inbox("msg", "ack", "all", "ch")).json).toEqual({ channel: "ch", ackedCount: 2 });
  expect((await at.inbox("msg", "gc", "--acked-older-than", "24")).json).toEqual({ expired: 0, acked: 0 });
  expect((await at.inbox("msg", "status", "1")).json).toMatchObject({
    id: 1,
    status: "acked",
    ackedBy: "cli",
    handed: 0,
  });
  expect((await at.inbox("msg", "ack", "99")).code).toBe(40);
});

test("[M3] a named reader keeps its position, and moves it only with --commit", async () => {
  using at = await desk();
  for (const text of ["a", "b"]) await at.inbox("msg", "send", "ch", text);
  const read = async (...more: string[]) =>
    (await at.inbox("msg", "inbox", "ch", "--reader", "r", ...more)).json.length;
  expect([await read(), await read("--commit"), await read()]).toEqual([2, 2, 0]);
});

test("[B1] receive and check take from=AGENT as it is typed in the seed", async () => {
  using at = await desk();
  for (const from of ["a", "b", "a"]) await at.inbox("send", "main", `from ${from}`, "--agent", from);
  const got = async (...args: string[]) =>
    (await at.inbox(...args)).json.messages.map(({ message }: { message: string }) => message);
  expect(await got("receive", "from=b")).toEqual(["from b"]);
  expect(await got("check", "from=a", "--lifo")).toEqual(["from a", "from a"]);
  expect((await at.inbox("check")).code).toBe(10);
});

test.skipIf(!Bun.which("jq"))("[C2] the seed's worker loop runs unchanged, tx read as inbox", async () => {
  using at = await desk();
  for (const text of ["one", "two"]) await at.inbox("msg", "send", "worker-7", text);
  const loop = `
    AGENT_ID="worker-7"
    CURSOR=0
    for round in 1 2; do
      MESSAGES=$(inbox msg inbox "$AGENT_ID" --after $CURSOR --json)
      COUNT=$(echo "$MESSAGES" | jq length)
      if [ "$COUNT" -gt 0 ]; then
        CURSOR=$(echo "$MESSAGES" | jq -r '.[-1].id')
        echo "$MESSAGES" | jq -c '.[]' | while read -r msg; do
          CONTENT=$(echo "$msg" | jq -r '.content')
          MSG_ID=$(echo "$msg" | jq -r '.id')
          echo "Processing: $CONTENT"
          inbox msg ack "$MSG_ID"
        done
      fi
    done`;
  const env = bareEnvironment({ PATH: `${join(root, "dist")}:${process.env.PATH}` });
  const child = Bun.spawn(["bash", "-c", loop], { cwd: at.path, env, stdout: "pipe" });
  const text = await new Response(child.stdout).text();
  expect(text).toBe("Processing: one\nAcknowledged message 1\nProcessing: two\nAcknowledged message 2\n");
  expect((await run(["msg", "pending", "worker-7", "--json"], { cwd: at.path })).json.count).toBe(0);
});
