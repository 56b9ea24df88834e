/** The real Claude Code with a scripted model: it starts our server, lists our tools, calls them, and runs the plugin. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { claude, claudeHere, type Printed, plugin, printed } from "../support/claude-code.ts";
import { program, root, run } from "../support/cli.ts";
import { hubHere } from "../support/hub.ts";
import { type Conversation, type Said, scriptedModel } from "../support/scripted-model.ts";
import { until } from "../support/until.ts";

const use = (tool: string, input: object): Said => ({ type: "tool_use", name: `mcp__inbox__${tool}`, input });
const tasks: Record<string, string> = { w1: "[Task: A] mean of 2, 4", w2: "[Task: B] mean of 6, 8" };
const answers: Record<string, string> = { w1: "[Task: A] 3", w2: "[Task: B] 7" };

/** A leader hands out two tasks and collects when both have answered; a worker waits, then answers whoever asked. */
function team() {
  let answered = 0;
  return async ({ key, results }: Conversation): Promise<Said[] | string> => {
    const last = results.at(-1);
    if (key === "lead") {
      if (!results.length)
        return Object.entries(tasks).map(([to, message]) =>
          use("send_message", { receiver_id: to, message }),
        );
      if (last?.tool === "mcp__inbox__check_inbox") return last.text;
      await until("both messages were sent", () => answered === 2);
      return [use("check_inbox", { timeout: 20 })];
    }
    if (last?.tool === "mcp__inbox__send_message") {
      answered++;
      return "answered";
    }
    const [mail] = last ? JSON.parse(last.text).messages : [];
    if (!mail) return [use("check_inbox", { timeout: 20, batch_window: 0 })];
    expect(mail.message).toBe(tasks[key]!);
    return [use("send_message", { receiver_id: mail.sender_id, message: answers[key] })];
  };
}

describe.skipIf(!claude)("Claude Code (skipped where it is not installed; TEST_CLAUDE names it)", () => {
  test.each(["stdio", "HTTP"])(
    "[C5] over %s a leader sends, two workers answer, and check_inbox returns both",
    async (transport) => {
      await using model = scriptedModel(team());
      await using hub = await hubHere();
      using session = claudeHere(model);
      const server = (agent: string) =>
        transport === "HTTP"
          ? { type: "http", url: `${hub.url}/mcp?agent=${agent}` }
          : { command: program, args: ["mcp"], env: { INBOX_DB: hub.db, INBOX_AGENT: agent } };
      const agent = (name: string) =>
        printed(session, name, "do your part", [
          "--strict-mcp-config",
          "--mcp-config",
          JSON.stringify({ mcpServers: { inbox: server(name) } }),
          "--allowedTools",
          "mcp__inbox",
        ]);
      const [lead, ...workers] = await Promise.all(["lead", "w1", "w2"].map(agent));
      expect(workers.map(({ code, result }) => [code, result])).toEqual([
        [0, "answered"],
        [0, "answered"],
      ]);
      expect(lead!.first.mcp_servers).toEqual([{ name: "inbox", status: "connected" }]);
      const got = JSON.parse(lead!.result);
      expect(got).toMatchObject({ success: true, terminal_id: "lead", total: 2 });
      const said = got.messages.map((mail: Printed) => [mail.sender_id, mail.message]);
      expect(Object.fromEntries(said)).toEqual(answers);
      // What it has seen is collected, and nothing else was left behind.
      for (const name of ["lead", "w1", "w2"])
        expect((await hub.ask(`GET /api/mailbox/${name}`)).json.messages).toEqual([]);
    },
  );

  test("[C7] the plugin from a marketplace: its server, its commands and its skill are there, each by its name", async () => {
    await using model = scriptedModel(({ results }) =>
      results.length ? "read" : [{ type: "tool_use", name: "Skill", input: { skill: "inbox:bus" } }],
    );
    using session = claudeHere(model);
    for (const args of [
      ["marketplace", "add", root],
      ["install", "inbox@restante"],
    ]) {
      const child = session.start(["plugin", ...args]);
      const said = await new Response(child.stdout).text();
      expect([await child.exited, said]).toEqual([0, expect.stringContaining("uccess")]);
    }
    await run(["init"], { cwd: session.project });
    const { first } = await printed(session, "main", "hi", ["--allowedTools", "Skill"]);
    expect(first.plugins).toMatchObject([{ name: "inbox" }]);
    expect(first.mcp_servers).toEqual([{ name: "plugin:inbox:inbox", status: "connected" }]);
    const ours = (names: string[]) => names.filter((name) => name.startsWith("inbox:")).sort();
    const skills = readdirSync(join(plugin, "skills")).map((name) => `inbox:${name}`);
    expect(ours(first.skills)).toEqual(skills.sort());
    for (const file of readdirSync(join(plugin, "commands")))
      expect(first.slash_commands).toContain(`inbox:${file.replace(".md", "")}`);
    // The model that asks for the skill gets the skill, and not a command of the same name.
    expect(model.heard.at(-1)!.user.join("\n")).toContain("Only `claim` gives you a thread");
  });

  test("[B4] mail that one run has read is not there for the next, though the run ends right after", async () => {
    await using model = scriptedModel(({ results }) =>
      results.length ? results[0]!.text : [use("check_inbox", { timeout: 0 })],
    );
    using session = claudeHere(model);
    await run(["init"], { cwd: session.project });
    await run(["send", "main", "Pay invoice 17", "--from", "bob"], { cwd: session.project });
    const config = JSON.stringify({ mcpServers: { inbox: { command: program, args: ["mcp"] } } });
    const once = () =>
      printed(session, "main", "hi", [
        "--strict-mcp-config",
        "--mcp-config",
        config,
        "--allowedTools",
        "mcp__inbox",
      ]);
    expect(JSON.parse((await once()).result).messages).toMatchObject([{ message: "Pay invoice 17" }]);
    expect(JSON.parse((await once()).result).messages).toEqual([]);
  });

  test("[C7] beside the plugin a sub-agent's own server is the only one, with one set of tools", async () => {
    await using model = scriptedModel(() => "done");
    using session = claudeHere(model);
    await run(["init"], { cwd: session.project });
    const own = { type: "stdio", command: "inbox", args: ["mcp"], env: { INBOX_AGENT: "sub" } };
    const config = JSON.stringify({ mcpServers: { inbox: own } });
    const { first } = await printed(session, "sub", "hi", ["--plugin-dir", plugin, "--mcp-config", config]);
    expect(first.mcp_servers).toEqual([{ name: "inbox", status: "connected" }]);
    const ours = first.tools.filter((name: string) => name.endsWith("check_inbox"));
    expect(ours).toEqual(["mcp__inbox__check_inbox"]);
  });

  test("[C7] a slash command tells the model what to run, and it may run it", async () => {
    await using model = scriptedModel(({ results }) =>
      results.length
        ? results[0]!.text
        : [{ type: "tool_use", name: "Bash", input: { command: "inbox send w1 'hello there'" } }],
    );
    using session = claudeHere(model);
    await run(["init"], { cwd: session.project });
    const { result } = await printed(session, "main", "/inbox:send w1 hello there", ["--plugin-dir", plugin]);
    expect(model.heard[0]!.user.join("\n")).toContain("\nw1 hello there\n");
    expect(model.heard[1]!.results).toMatchObject([{ tool: "Bash", failed: false }]);
    expect(result).toContain("main (not verified) → w1");
    await printed(session, "main", "/inbox:inbox --from bob", ["--plugin-dir", plugin]);
    expect(model.heard.at(-1)!.user.join("\n")).toContain("`inbox mail --from bob`");
  });

  test("[A9] mail reaches a model in the middle of ten tool calls, with the next of them", async () => {
    const seen: number[] = [];
    await using model = scriptedModel(async ({ results, user, system }) => {
      const count = results.length;
      if (`${user.join("\n")}${system}`.includes("> stop here")) seen.push(count);
      // While the model thinks about its fourth tool.
      if (count === 3) await run(["send", "main", "stop here", "--from", "bob"], { cwd: session.project });
      return count === 10 ? "done" : [{ type: "tool_use", name: "Bash", input: { command: "inbox agents" } }];
    });
    using session = claudeHere(model);
    await run(["init"], { cwd: session.project });
    const allowed = ["--plugin-dir", plugin, "--allowedTools", "Bash(inbox agents)"];
    await printed(session, "main", "go", allowed);
    expect(seen[0]).toBe(4);
  });

  test("[C7] [X6] the end of a turn shows new mail once, and mail that keeps coming does not keep it going", async () => {
    await using model = scriptedModel(async ({ user }) => {
      await send(`and again ${user.length}`);
      return "done";
    });
    using session = claudeHere(model);
    const send = (message: string) =>
      run(["send", "main", message, "--from", "bob"], { cwd: session.project });
    await run(["init"], { cwd: session.project });
    await send("look at\nthis");
    const { code, result } = await printed(session, "main", "hi", ["--plugin-dir", plugin]);
    expect([code, result, model.heard.length]).toEqual([0, "done", 2]);
    expect(model.heard[0]!.system).toContain("bob (not verified), event:\n> look at\n> this\n");
    expect(model.heard[1]!.user.at(-1)).toContain("bob (not verified), event:\n> and again");
    const { json } = await run(["mail", "--json"], { cwd: session.project });
    expect(json.total).toBe(3);
  });

  test("[C7] an idle session is woken by mail; a run of one prompt does not wait for it, and no waiter is left", async () => {
    await using model = scriptedModel(() => "done");
    using session = claudeHere(model);
    const send = (message: string) =>
      run(["send", "main", message, "--from", "bob"], { cwd: session.project });
    await run(["init"], { cwd: session.project });
    const once = await printed(session, "main", "hi", ["--plugin-dir", plugin], { INBOX_WAKE: "1" });
    expect([once.code, once.result]).toEqual([0, "done"]);
    const idle = session.start(
      ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"].concat([
        "--plugin-dir",
        plugin,
      ]),
      { ANTHROPIC_API_KEY: "main", INBOX_WAKE: "always" },
    );
    idle.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content: "begin" } })}\n`);
    idle.stdin.flush();
    await until("a waiter runs in the project", () => waiters(session.project).length > 0);
    await send("wake up");
    await until("the model has heard three times", () => model.heard.length === 3);
    expect(model.heard[2]!.user.at(-1)).toContain("bob (not verified), event:\n> wake up\n");
    await until("a waiter runs in the project", () => waiters(session.project).length > 0);
    idle.kill("SIGKILL");
    await idle.exited;
    await send("nobody is there");
    await until("no waiter runs in the project", () => waiters(session.project).length === 0);
    // It was shown to nobody, so the next turn shows it.
    await printed(session, "main", "hi", ["--plugin-dir", plugin]);
    expect(model.heard.at(-1)!.system).toContain("> nobody is there\n");
  });
});

/** Those of our waiters that run in a folder. */
const waiters = (folder: string) =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => linkOf(pid) === folder && lineOf(pid).includes("inbox\0watch"));

function linkOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

function lineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
