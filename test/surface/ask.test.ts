/** [A5] [A7] `inbox ask --wait` as a script uses it: the exit code is the choice. */
import { expect, test } from "bun:test";
import { desk } from "../support/cli.ts";
import { until } from "../support/until.ts";

test("[A5] the exit code is the choice, and 10 where nobody answers in time", async () => {
  using d = await desk();
  const unread = async () => (await d.inbox("entries", "list", "--unread")).json.entries;
  for (const [choice, code] of [
    ["ship", 0],
    ["wait", 1],
    ["never", 2],
  ] as const) {
    const asking = d.start(
      "ask",
      "user",
      "Ship it?",
      "--choices",
      "ship,wait,never",
      "--wait",
      "--agent",
      "ci",
    );
    await until("the question is there", async () => (await unread()).length === 1);
    expect((await d.inbox("entries", "reply", (await unread())[0].id, "--choice", choice)).code).toBe(0);
    expect(await asking.exited).toBe(code);
  }
  const late = await d.inbox("ask", "ada", "Anybody?", "--wait", "--timeout-seconds", "0");
  expect([late.code, late.json]).toMatchObject([
    10,
    { decided: false, choice: null, choices: ["yes", "no"] },
  ]);
  const [question] = (await d.inbox("mail", "--agent", "ada")).json.messages;
  expect((await d.human("answer", `msg_${question.id}`, "no", "--agent", "ada")).stdout).toBe(
    "answered main\n",
  );
  const again = await d.human("ask", "--wait", "--correlation-id", late.json.correlation_id);
  expect([again.code, again.stdout]).toEqual([1, "no\nada: no\n"]);
});

test("[A7] the audit trail is a JSON object a line, with surface and whether a token vouched", async () => {
  using d = await desk();
  const { token } = (await d.inbox("token", "create", "--agent", "ada", "--scope", "leader")).json;
  await d.inbox("ask", "ada", "Go?", "--choices", "yes,no", "--agent", "ci");
  const [question] = (await d.inbox("mail", "--agent", "ada")).json.messages;
  await d.inbox("answer", `msg_${question.id}`, "yes", "--token", token);
  const lines = (await d.human("audit")).stdout.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { number: 1, action: "asked", agent: "ci", to: "ada", surface: "cli", verified: false },
    { number: 2, action: "answered", agent: "ada", to: "ci", choice: "yes", surface: "cli", verified: true },
  ]);
});
