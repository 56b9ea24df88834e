/** [A11] What a task costs while it runs, and how its budget ends it, with real processes. */
import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { crew } from "../support/crew.ts";
import { until } from "../support/until.ts";

/** Speaks as Claude Code does: a message for each word of the prompt that is a number of tokens, and waits at "wait". */
const claude = `#!/bin/sh
n=0; total=0
for word in $(cat); do
  if [ $word = wait ]; then while :; do sleep 1; done; fi
  n=$((n + 1)); total=$((total + word))
  echo '{"type":"assistant","session_id":"s","message":{"id":"m'$n'","content":[{"type":"text","text":"spent '$word'"}],"usage":{"input_tokens":'$word',"output_tokens":0}}}'
done
echo '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s","num_turns":'$n',"total_cost_usd":0.5,"usage":{"input_tokens":'$total'}}'
`;

async function withClaude() {
  const team = await crew(`
[runners.told]
command = ["sh", "-c", "{prompt}"]
reports_usage = true
[runners.claude]
command = ["./claude"]
`);
  await Bun.write(join(team.path, "claude"), claude);
  chmodSync(join(team.path, "claude"), 0o755);
  await team.inbox("trust", "--yes");
  return team;
}

const shown = async (team: Awaited<ReturnType<typeof crew>>, name: string) =>
  (await team.orch("show", name)).json.task;

test("[A11] usage is shown while a task runs; its budget ends it with the output so far; with a larger one it continues", async () => {
  using team = await withClaude();
  await team.push("sub", "400 500 wait", "profile=claude", "budget=1k");
  await team.orch("run");
  await until("its usage is seen", async () => (await shown(team, "sub")).usage?.tokens === 900);
  expect((await shown(team, "sub")).status).toBe("running");
  await team.orch("kill", "sub");
  await team.hear();
  await team.push("over", "400 700 wait", "profile=claude", "budget=1k", "retries=2");
  await team.orch("run");
  const [result] = await team.hear();
  expect(result).toMatchObject({
    from: "over",
    success: false,
    error: "it exceeded its budget of 1000 tokens (used 1100) and was ended",
    partial: "spent 700",
  });
  expect(await shown(team, "over")).toMatchObject({ reason: "budget", attempt: 1 });
  // Another turn of the same session adds up.
  expect((await team.orch("send", "over", "300")).json.error.code).toBe("invalid_state");
  await team.orch("send", "over", "300", "--budget", "2k");
  expect(await team.hear()).toMatchObject([{ from: "over", text: "done", success: true }]);
  expect(await shown(team, "over")).toMatchObject({
    success: true,
    usage: { tokens: 1400, cost_usd: 0.5, turns: 3 },
  });
  const { stdout } = await team.human("orch", "show", "over");
  expect(stdout).toContain("1.4k tokens (1.4k in, 0 out), $0.50, 3 turns");
});

test("[A11] a command reports its own usage and is ended by its budget; the tasks it started count for it", async () => {
  using team = await withClaude();
  const below = "orch report --agent below --input-tokens 700 >/dev/null; echo done";
  const top = `echo half; orch report --input-tokens 600 >/dev/null; orch push profile=told name=below '${below}' >/dev/null; orch run >/dev/null; sleep 1000`;
  await team.push("top", top, "profile=told", "budget=1k");
  await team.orch("run");
  expect(await team.hear()).toMatchObject([
    {
      from: "top",
      error: "it exceeded its budget of 1000 tokens (used 1300) and was ended",
      partial: "half",
    },
  ]);
  expect(await shown(team, "top")).toMatchObject({ usage: { tokens: 600 }, usage_total: { tokens: 1300 } });
  const agents = (await team.human("orch", "agents")).stdout;
  expect(agents).toMatch(/sh .*not reported/);
  expect((await team.human("orch", "costs")).stdout).toContain("1.3k");
  expect((await team.human("inbox", "stats")).stdout).toContain("today    1.3k tokens");
  await team.push("plain", "true");
  expect((await team.human("orch", "show", "plain")).stdout).toContain("not reported by its program");
});
