/** The built-in runners with the programs they are for, each against a scripted model. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Job } from "../../src/orch/runners/runner.ts";
import { type AgentProgram, agentPrograms, noWayOut } from "../support/agent-programs.ts";
import { desk, program as inbox } from "../support/cli.ts";
import { jobIn, play, runnerIn } from "../support/play-runner.ts";
import type { Conversation, Script } from "../support/scripted-model.ts";

/** A folder with a bus, a home beside it, and the program set up to speak to a scripted model. */
async function settled(agent: AgentProgram, script: Script, settings = "") {
  const d = await desk();
  const home = join(d.path, "home");
  mkdirSync(home);
  const model = agent.scripted(script);
  const env = { ...noWayOut, HOME: home, ...(await agent.settle(home, model.url)) };
  // What a keeper would have from its own environment, the runner is told by the profile.
  const told = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const toml = `[runners.${agent.name}]\ncommand = [${JSON.stringify(agent.program)}]\n${settings}\n[runners.${agent.name}.env]\n${told.join("\n")}\n`;
  const runner = await runnerIn(d.path, agent.name, toml);
  const identity = { INBOX_AGENT: "sub", INBOX_DB: d.db };
  return {
    ...d,
    home,
    runner,
    heard: model.heard,
    job: (more: Partial<Job> = {}) =>
      jobIn(d, { model: agent.model, mcp: { command: inbox, args: ["mcp"], env: identity }, ...more }),
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      d[Symbol.dispose]();
    },
  };
}

const tool = (conversation: Conversation, name: string) => {
  const found = conversation.tools.find((one) => one.endsWith(name) && one.includes("inbox"));
  if (!found) throw new Error(`no ${name} among ${conversation.tools.join(", ")}`);
  return found;
};

/** Says something by our tool, and then what the tool answered. */
const reporting: Script = (conversation) => {
  if (!conversation.tools.length) return "a title";
  if (conversation.results.length) return `It is said: ${conversation.user.at(-1)}`;
  const input = { receiver_id: "boss", message: "half way" };
  return [
    { type: "text", text: "I say it." },
    { type: "tool_use", name: tool(conversation, "send_message"), input },
  ];
};

for (const agent of agentPrograms)
  describe.skipIf(!agent.program)(`${agent.name} (skipped where it is not installed)`, () => {
    test(`[Q8] ${agent.name} has our tools and its identity, with nothing done by the user`, async () => {
      await using here = await settled(agent, reporting);
      const { outcome, notes } = await play(here.runner, here.job({ instructions: "Speak in rhymes." }));
      expect(outcome.error).toBeUndefined();
      expect(outcome.final).toStartWith("It is said: ");
      const [asked] = here.heard;
      expect(asked!.model).toBe(agent.model.replace(/^\w+\//, ""));
      expect(`${asked!.system}\n${asked!.user.join("\n")}`).toContain("Speak in rhymes.");
      expect(asked!.user.join("\n")).toContain("do it");
      const { messages } = (await here.inbox("check", "--agent", "boss")).json;
      expect(messages).toMatchObject([{ sender_id: "sub", message: "half way" }]);
      // [Q9] All of it is in the transcript, in order.
      const kinds = notes.filter(({ kind }) => kind !== "error" && kind !== "stderr");
      expect(kinds.slice(0, 4).map(({ kind }) => kind)).toEqual(["output", "tool", "response", "output"]);
      expect(kinds[0]!.text).toBe("I say it.");
      expect(kinds[1]!.tool).toContain("send_message");
      expect(JSON.parse(kinds[1]!.text)).toEqual({ receiver_id: "boss", message: "half way" });
      // Some show their model the fields of an answer, some its text.
      expect(kinds[2]).toMatchObject({
        tool: kinds[1]!.tool,
        text: expect.stringMatching(/half way|to boss/),
      });
      const last = kinds.slice(3);
      expect(last.every(({ kind }) => kind === "output")).toBe(true);
      expect(last.map(({ text }) => text).join("")).toBe(outcome.final);
    });

    test(`[Q8] ${agent.name} keeps its identity where a server of our name is configured`, async () => {
      await using here = await settled(agent, reporting);
      await agent.other(here.path, here.home);
      const { outcome } = await play(here.runner, here.job());
      expect(outcome.error).toBeUndefined();
      const { messages } = (await here.inbox("check", "--agent", "boss")).json;
      expect(messages).toMatchObject([{ sender_id: "sub", message: "half way" }]);
    });

    test(`[Q12] ${agent.name} resumes a conversation, or reports that it cannot`, async () => {
      await using here = await settled(agent, ({ tools, user }) =>
        tools.length ? `heard ${user.at(-1)}` : "a title",
      );
      const first = await play(here.runner, here.job({ prompt: "remember 17" }));
      expect(first.outcome.error).toBeUndefined();
      expect(here.runner.resumes).toBe(agent.resumes);
      expect(first.outcome.session !== undefined).toBe(agent.resumes);
      if (!agent.resumes) return;
      const job = here.job({ prompt: "which was it?", session: first.outcome.session! });
      const second = await play(here.runner, job);
      expect(second.outcome).toEqual({ final: "heard which was it?", session: first.outcome.session! });
      expect(second.notes.filter(({ kind }) => kind === "output")).toHaveLength(1);
      expect(here.heard.at(-1)!.user.join("\n")).toContain("remember 17");
    });

    test(`[Q5] ${agent.name} with a model that refuses is a failure with that reason`, async () => {
      await using refusing = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: () => {
          const error = {
            type: "invalid_request_error",
            code: 400,
            status: "INVALID_ARGUMENT",
            message: "no credit",
          };
          return Response.json({ type: "error", error }, { status: 400 });
        },
      });
      await using here = await settled(agent, () => "");
      const url = `http://127.0.0.1:${refusing.port}`;
      const env = { ...here.runner.env, ...(await agent.settle(here.home, url)) };
      const { outcome } = await play({ ...here.runner, env }, here.job());
      expect(outcome.error).toContain("no credit");
      expect(outcome.final).not.toContain("It is said");
    });

    const { shell } = agent;
    if (shell)
      for (const permission of ["reject", "allow"] as const)
        test(`[Q8] ${agent.name} with permission = "${permission}" ${permission === "allow" ? "does" : "does not do"} what it would ask for`, async () => {
          const script: Script = ({ tools, results, user }) => {
            if (!tools.length || results.length) return "done";
            return [{ type: "tool_use", ...shell(user.join("\n").match(/make (\S+)/)![1]!) }];
          };
          await using here = await settled(agent, script, `permission = "${permission}"`);
          const file = join(here.path, "made");
          await play(here.runner, here.job({ prompt: `make ${file}` }));
          expect(here.heard.at(-1)!.results).toHaveLength(1);
          expect(existsSync(file)).toBe(permission === "allow");
        });
  });
