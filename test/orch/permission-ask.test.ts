/** [A8] permission = "ask": what an agent program would ask its user is asked of the person or the parent. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { scopeOf } from "../../src/orch/permission-scope.ts";
import type { Step } from "../support/acp-agent.ts";
import { agentPrograms, noWayOut } from "../support/agent-programs.ts";
import { root } from "../support/cli.ts";
import { type Crew, crew } from "../support/crew.ts";
import { until } from "../support/until.ts";

const agent = JSON.stringify([process.execPath, join(root, "test/support/acp-agent.ts")]);
const profiles = `
[runners.acp]
kind = "acp"
command = ${agent}
permission = "ask"
[profiles.upwards]
runner = "acp"
ask = "parent"
[profiles.hasty]
runner = "acp"
ask_timeout = 0.2
[runners.codex]
`;

const steps = (...all: Step[]) => JSON.stringify(all);

const entries = async ({ inbox }: Crew) =>
  (await inbox("entries", "list")).json.entries as Record<string, string>[];
const asked = async (team: Crew, count: number) => {
  await until(`${count} questions are there`, async () => (await entries(team)).length === count);
  return (await entries(team))[0]!;
};

test("[A8] the person is asked with tool, arguments and folder; the agent waits and hears the answer", async () => {
  using team = await crew(profiles);
  const removal: Step = { ask: "rm -rf build", name: "Bash", kind: "execute" };
  await team.orch(
    "assign",
    "profile=acp",
    "name=sub",
    steps(removal, removal, { ...removal, ask: "rm -rf src" }, { say: "over" }),
  );
  const first = await asked(team, 1);
  expect(first).toMatchObject({
    kind: "question",
    sender: "sub",
    choices: ["allow once", "allow for this task", "deny", "deny and say why"],
  });
  expect(first.comments).toBe(
    `sub asks to use Bash\n\nFolder: ${team.path}\n\nArguments:\n{\n  "force": true\n}\n\nAllowing it for this task allows Bash with the command rm -rf build.`,
  );
  expect((await team.orch("show", "sub")).json.task).toMatchObject({ status: "running", permission: "ask" });
  await team.inbox("entries", "reply", first.id!, "--choice", "allow for this task");
  // The second time it is not asked again; another command is another question.
  const second = await asked(team, 2);
  expect(second.comments).toStartWith("sub asks to use Bash\n");
  // [A5] Words decide nothing: it goes on waiting for one of the choices.
  await team.inbox("entries", "reply", second.id!, "what for?");
  await team.inbox("entries", "reply", second.id!, "not before Friday", "--choice", "deny and say why");
  const [heard] = await team.hear();
  expect(heard).toMatchObject({ from: "sub", success: true });
  expect(heard!.text).toContain("It asked to use Bash and was refused.");
  const log = (await team.orch("log", "sub")).stdout;
  expect(log).toContain("refused what it asked for, user denied it: not before Friday: Bash");
  const records = (await team.human("inbox", "audit")).stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(
    records.map(({ action, agent, surface, choice, task }) => [action, agent, surface, choice, task]),
  ).toEqual([
    ["asked", "sub", "task", null, "sub"],
    ["answered", "user", "cli", "allow for this task", "sub"],
    ["asked", "sub", "task", null, "sub"],
    ["answered", "user", "cli", null, "sub"],
    ["answered", "user", "cli", "deny and say why", "sub"],
  ]);
});

test("[A8] allow for this task covers the command, files in the folder, one file elsewhere, one host, or the tool", () => {
  const scope = (tool: string, input?: unknown, more = {}) => scopeOf({ tool, input, ...more }, "/work/tree");
  expect(scope("Bash", { command: " npm test\n", description: "a" })).toBe("Bash with the command npm test");
  expect(scope("Bash", { command: "npm test" })).not.toBe(scope("Bash", { command: "npm test; rm -rf ." }));
  expect(scope("shell", { command: ["git", "push"] })).toBe('shell with the command ["git","push"]');
  expect(scope("run", {}, { runs: "make all" })).toBe("run with the command make all");
  expect(scope("Edit", { file_path: "/work/tree/a.txt" })).toBe("Edit on files in its folder");
  expect(scope("Edit", { file_path: "b/../c.txt" })).toBe("Edit on files in its folder");
  expect(scope("Edit", { file_path: "/work/tree/../other/a.txt" })).toBe("Edit on /work/tree/../other/a.txt");
  expect(scope("move", {}, { paths: ["/work/tree/a", "/etc/b"] })).toBe("move on /etc/b, /work/tree/a");
  expect(scope("WebFetch", { url: "https://example.com:8443/a?b" })).toBe("WebFetch at example.com:8443");
  expect(scope("mcp__jira__close", { id: 3 })).toBe("mcp__jira__close");
});

test("[A8] the parent is asked if the profile says so, and no answer is a deny", async () => {
  using team = await crew(profiles);
  await team.orch("assign", "profile=upwards", "name=sub", steps({ ask: "deploy" }, { say: "went on" }));
  const [question] = (await team.inbox("receive", "--agent", "main", "--ack", "manual")).json.messages;
  expect(question).toMatchObject({ sender_id: "sub", kind: "question", sender_verified: true });
  expect((await team.inbox("answer", String(question.id), "allow once", "--agent", "main")).code).toBe(0);
  expect(await team.hear()).toMatchObject([{ from: "sub", text: "went on" }]);
  const { json } = await team.orch(
    "handoff",
    "profile=hasty",
    "name=late",
    steps({ ask: "deploy" }, { say: "gave up" }),
  );
  expect(json.message).toContain("It asked to use deploy and was refused.");
  const { records } = (await team.inbox("audit")).json;
  expect(records.at(-1)).toMatchObject({
    action: "expired",
    agent: "late",
    text: "nobody answered within 0.2 seconds",
  });
});

test("[A8] [Q15] ask is less than edit, and refused where the program cannot be answered", async () => {
  using team = await crew(profiles);
  const none = await team.orch("push", "profile=codex", "permission=ask", "x");
  expect([none.code, none.json.error.message]).toEqual([
    30,
    'the program of the runner "codex" cannot be answered while it runs',
  ]);
  const permit = await team.orch("permit", "Bash");
  expect(permit.json.error.message).toBe('"main" is not a running task with permission=ask');
});

const claude = agentPrograms.find(({ name }) => name === "claude")!;

test.skipIf(!claude.program)(
  "[A8] Claude Code asks by its permission tool (skipped where it is not installed)",
  async () => {
    await using model = claude.scripted(({ tools, results, user }) => {
      if (!tools.length || results.length) return results.map(({ text }) => text).join("\n") || "done";
      return [{ type: "tool_use", ...claude.shell!(user.join("\n").match(/make (\S+)/)![1]!) }];
    });
    using team = await crew();
    const env = { ...noWayOut, HOME: team.path, ...(await claude.settle(team.path, model.url)) };
    const told = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
    const toml = `[runners.claude]\ncommand = [${JSON.stringify(claude.program)}]\npermission = "ask"\n[runners.claude.env]\n${told.join("\n")}\n`;
    await Bun.write(join(team.path, ".agents/agents.toml"), toml);
    const file = join(team.path, "made");
    for (const [choice, count] of [
      ["deny", 1],
      ["allow once", 2],
    ] as const) {
      await team.orch("assign", "profile=claude", `name=sub-${count}`, `make ${file}`);
      const question = await asked(team, count);
      expect(question.comments).toContain(`sub-${count} asks to use Bash\n`);
      expect(question.comments).toContain(`touch ${file}`);
      await team.inbox("entries", "reply", question.id!, "--choice", choice);
      const [heard] = await team.hear();
      expect([heard!.text, heard!.success, existsSync(file)]).toEqual([
        expect.anything(),
        true,
        choice === "allow once",
      ]);
    }
  },
);
