/** [A13] A message that ends the present turn of a running sub-agent, which goes on with it. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "../support/acp-agent.ts";
import { agentPrograms, noWayOut } from "../support/agent-programs.ts";
import { root } from "../support/cli.ts";
import { begun, type Crew, crew } from "../support/crew.ts";
import { until } from "../support/until.ts";

const agent = JSON.stringify([process.execPath, join(root, "test/support/acp-agent.ts")]);
const toml = `
[runners.acp]
kind = "acp"
command = ${agent}
[runners.again]
command = ["sh", "-c", "{prompt}"]
resume = ["sh", "-c", "cat >resumed; [ -e twice ] || { touch twice; sleep 1000; }; echo went on"]
output = "text"
`;

const told = (text: string) =>
  `"main" has interrupted you:\n\n${text}\n\nFollow this first. Then continue with your task, as far as it still applies.`;
const interrupt = (team: Crew, text: string) =>
  team.inbox("send", "sub", text, "--interrupt", "--from", "main");
const prompts = async (team: Crew) =>
  (await team.orch("log", "sub")).json.entries
    .filter(({ kind }: { kind: string }) => kind === "prompt")
    .map(({ text }: { text: string }) => text);

/** How often the transcript says that a turn was interrupted. */
const interruptions = async (team: Crew) =>
  (await team.orch("log", "sub")).json.entries.filter(
    ({ kind, text }: { kind: string; text: string }) => kind === "notice" && text.includes("was interrupted"),
  ).length;

test.concurrent("[A13] an ACP agent is told to cancel its turn, and prompted in the same conversation", async () => {
  using team = await crew(toml);
  const steps: Step[] = [{ say: "working\n" }, { wait: "cancel" }];
  await team.orch("assign", "profile=acp", "name=sub", JSON.stringify(steps));
  await until("it waits", async () => (await team.orch("log", "sub")).stdout.includes("waiting"));
  await until("its process is known", async () => (await team.orch("show", "sub")).json.task.pid > 0);
  expect((await interrupt(team, "look at b.txt instead")).code).toBe(0);
  const [heard] = await team.hear();
  // The agent says back what it is told.
  expect(heard).toMatchObject({ from: "sub", success: true, text: `none: ${told("look at b.txt instead")}` });
  expect(await prompts(team)).toEqual([JSON.stringify(steps), told("look at b.txt instead")]);
  expect(await interruptions(team)).toBe(1);
  // It was taken out of its inbox: nobody is told that it was never read.
  expect((await team.inbox("dead", "list")).json.messages ?? []).toEqual([]);
});

test.concurrent("[A13] a program that can resume is stopped, and its conversation continues, each time", async () => {
  using team = await crew(toml);
  await team.orch(
    "assign",
    "profile=again",
    "name=sub",
    "trap 'touch stopped; exit 1' INT; touch begun; sleep 1000 & wait",
  );
  await begun(team, "begun");
  await interrupt(team, "first");
  await begun(team, "twice");
  expect(readFileSync(join(team.path, "resumed"), "utf8")).toBe(told("first"));
  expect(existsSync(join(team.path, "stopped"))).toBe(true);
  await interrupt(team, "second");
  expect(await team.hear()).toMatchObject([{ from: "sub", success: true, text: "went on" }]);
  expect(readFileSync(join(team.path, "resumed"), "utf8")).toBe(told("second"));
  expect((await prompts(team)).length).toBe(3);
  expect(await interruptions(team)).toBe(2);
  // Now that it has ended, it is resumed otherwise.
  const ended = await team.human("inbox", "send", "sub", "hello?", "--from", "main");
  expect(ended.stdout).toContain('orch send sub "…" resumes it');
});

test.concurrent("[A13] if nothing can be interrupted nothing is sent, and the error says why", async () => {
  using team = await crew(toml);
  const said = async (to: string) => {
    const { code, json } = await team.inbox("send", to, "stop", "--interrupt");
    return [code, json.error.message];
  };
  expect(await said("nobody")).toEqual([40, 'there is no task "nobody"']);
  await team.push("sub", "touch begun; sleep 1000");
  expect(await said("sub")).toEqual([
    30,
    '"sub" cannot be interrupted: it is queued, so there is no turn to end',
  ]);
  await team.orch("run");
  await begun(team, "begun");
  expect(await said("sub")).toEqual([
    30,
    '"sub" cannot be interrupted: the program of its runner "sh" cannot resume a conversation',
  ]);
  expect((await team.inbox("mail", "--agent", "sub")).json.messages).toEqual([]);
  await team.orch("kill", "sub");
  await team.hear();
  expect(await said("sub")).toEqual([30, '"sub" cannot be interrupted: it has finished']);
  const { profiles } = (await team.orch("agents")).json;
  expect(profiles.map(({ name, interrupts }: Record<string, string>) => [name, interrupts])).toEqual([
    ["claude", "resume"],
    ["codex", "resume"],
    ["gemini", "cancel"],
    ["opencode", "resume"],
    ["sh", null],
    ["acp", "cancel"],
    ["again", "resume"],
  ]);
});

const claude = agentPrograms.find(({ name }) => name === "claude")!;

test.skipIf(!claude.program)(
  "[A13] Claude Code shows new mail after the next tool, and is interrupted in its session (skipped where it is not installed)",
  async () => {
    const shown: number[] = [];
    await using model = claude.scripted(async ({ tools, results, user, system }) => {
      if (!tools.length) return "a title";
      const all = `${user.join("\n")}${system}`;
      if (all.includes("has interrupted you")) return `interrupted after ${results.length}`;
      if (all.includes("> look here")) shown.push(results.length);
      if (results.length === 1) await team.inbox("send", "sub", "look here", "--from", "bob");
      if (results.length === 3) await interrupt(team, "enough");
      return [{ type: "tool_use", ...claude.shell!(join(team.path, `made-${results.length}`)) }];
    });
    using team = await crew();
    const env = {
      ...noWayOut,
      HOME: team.path,
      ...(await claude.settle(team.path, model.url)),
      IS_SANDBOX: "1",
    };
    const said = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
    const file = `[runners.claude]\ncommand = [${JSON.stringify(claude.program)}]\npermission = "allow"\n[runners.claude.env]\n${said.join("\n")}\n`;
    await Bun.write(join(team.path, ".agents/agents.toml"), file);
    await team.orch("assign", "profile=claude", "name=sub", "go");
    const [heard] = await team.hear(40);
    expect(heard).toMatchObject({
      from: "sub",
      success: true,
      text: expect.stringContaining("interrupted after"),
    });
    expect(shown[0]).toBe(2);
  },
);
