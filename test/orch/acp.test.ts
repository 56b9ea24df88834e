/** ACP with a real agent program on the other side, over its standard input and output. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { finalLimit, type Job } from "../../src/orch/runners/runner.ts";
import type { Step, Ways } from "../support/acp-agent.ts";
import { desk, program as inbox, root } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { jobIn, type Noted, type Play, play, runnerIn } from "../support/play-runner.ts";

const agent = join(root, "test/support/acp-agent.ts");

interface Case extends Play {
  ways?: Ways;
  settings?: string;
  steps?: Step[];
  folder?: { path: string };
}

async function talked({ ways = {}, settings = "", steps, job, folder, ...more }: Case) {
  using own = temporaryFolder();
  const { path } = folder ?? own;
  const bun = JSON.stringify([process.execPath, agent]);
  const toml = `[runners.mine]\nkind = "acp"\ncommand = ${bun}\n${settings}`;
  const runner = await runnerIn(path, "mine", toml);
  const prompt = steps ? JSON.stringify(steps) : "hello";
  const env = { ACP_WAYS: JSON.stringify(ways), ...more.env };
  return await play(runner, jobIn({ path }, { prompt, ...job }), { ...more, env });
}

const texts = (notes: readonly Noted[], kind: Noted["kind"]) =>
  notes.filter((note) => note.kind === kind).map(({ text }) => text);

describe("a turn", () => {
  test("[Q8] the agent uses our MCP server with its identity; tool, answer and final message arrive in order", async () => {
    using d = await desk();
    const mcp = { command: inbox, args: ["mcp"], env: { INBOX_AGENT: "sub", INBOX_DB: d.db } };
    const input = { receiver_id: "boss", message: "half way" };
    const steps: Step[] = [
      { say: "I say it.\nNow." },
      { use: "send_message", input },
      { say: "It is said." },
    ];
    const { outcome, notes } = await talked({ steps, job: { mcp }, folder: d });
    expect(outcome).toEqual({ final: "It is said." });
    expect(notes).toEqual([
      { kind: "output", text: "I say it.\n" },
      { kind: "output", text: "Now." },
      { kind: "tool", tool: "send_message", text: JSON.stringify(input) },
      { kind: "response", tool: "send_message", text: expect.stringContaining("sent msg_1 to boss") },
      { kind: "output", text: "It is said." },
    ]);
    const { messages } = (await d.inbox("check", "--agent", "boss")).json;
    expect(messages).toMatchObject([{ sender_id: "sub", message: "half way" }]);
  });

  test("[Q8] instructions come before the prompt, thoughts are not said, the environment is the profile's", async () => {
    const told = await talked({ job: { prompt: "go", instructions: "Be brief." } });
    expect(told.outcome.final).toBe("none: Be brief.\n\ngo");
    expect((await talked({ steps: [{ think: "hm" }, { say: "ok" }] })).outcome.final).toBe("ok");
    const mcp = { command: "x", args: [], env: { INBOX_AGENT: "sub" } };
    const settings = 'env = { CORNER = "north", INBOX_AGENT = "other" }';
    const { outcome } = await talked({ steps: [{ report: "environment" }], settings, job: { mcp } });
    expect(JSON.parse(outcome.final)).toEqual({ INBOX_AGENT: "sub", CORNER: "north" });
  });

  test("[Q8] it is offered neither our files nor a terminal", async () => {
    const { outcome } = await talked({ steps: [{ report: "client" }] });
    expect(JSON.parse(outcome.final)).toMatchObject({
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
    });
  });

  test("[Q5] its text before its last tool call is its final message if there is none after", async () => {
    const { outcome } = await talked({ steps: [{ say: "Done so far." }, { ask: "one more thing" }] });
    expect(outcome).toMatchObject({ final: "Done so far." });
  });

  test("[Q5.6] [Q9] a long message is cut to its end, and the transcript has it all", async () => {
    const { outcome, notes } = await talked({
      steps: [{ many: 40, of: `${"€".repeat(9999)}\n` }, { say: "end" }],
    });
    expect(Buffer.byteLength(outcome.final)).toBeLessThanOrEqual(finalLimit);
    expect(outcome.cut).toBe(40 * 29_998 + 3 - Buffer.byteLength(outcome.final));
    expect(outcome.final).toEndWith("€\nend");
    expect(texts(notes, "output").join("")).toBe(`${`${"€".repeat(9999)}\n`.repeat(40)}end`);
  });

  test("[Q9] a line on standard output that is not a message is a line of the transcript", async () => {
    const { outcome, notes } = await talked({
      steps: [{ print: "Loading…" }, { print: "[1]" }, { say: "ok" }],
    });
    expect(outcome).toEqual({ final: "ok" });
    expect(texts(notes, "output")).toEqual(["Loading…", "[1]", "ok"]);
  });

  test("[Q8] an agent that does not exit with its input has ended its turn nevertheless", async () => {
    const { outcome } = await talked({ steps: [{ say: "ok" }], ways: { lingers: true } });
    expect(outcome).toEqual({ final: "ok" });
  });
});

describe("permission", () => {
  const asked = async (step: Step, settings = "") => {
    const { notes, outcome } = await talked({ steps: [step], settings });
    return {
      refused: outcome.refused,
      answer: texts(notes, "response"),
      used: texts(notes, "tool"),
      notices: texts(notes, "notice"),
    };
  };

  test('[Q8] [Q15] permission = "allow" says yes once, "reject" and nothing said say no, and transcript and result say so', async () => {
    const allowed = await asked({ ask: "rm -rf build" }, 'permission = "allow"');
    expect(allowed).toEqual({ refused: undefined, answer: ["2"], used: ['{"force":true}'], notices: [] });
    for (const [settings, permission] of [
      ['permission = "reject"', "reject"],
      ["", "edit"],
    ]) {
      const { answer, notices, refused } = await asked({ ask: "rm -rf build" }, settings);
      expect(answer).toEqual(["3"]);
      expect(notices).toEqual([`refused what it asked for, as permission = "${permission}": rm -rf build`]);
      expect(refused).toEqual(["rm -rf build"]);
    }
  });

  test('[Q15] permission = "edit" lets it change files that lie in its folder, and no others', async () => {
    const edit = { ask: "Edit", kind: "edit" } as const;
    const yes = async (step: Step, settings = 'permission = "edit"') => (await asked(step, settings)).answer;
    expect(await yes({ ...edit, path: "src/a.ts" })).toEqual(["2"]);
    for (const path of ["../a.ts", "/etc/passwd", "src/../../a.ts", undefined])
      expect(await yes({ ...edit, ...(path && { path }) })).toEqual(["3"]);
    expect(await yes({ ask: "Run", kind: "execute", path: "src/a.ts" })).toEqual(["3"]);
    expect(await yes({ ...edit, path: "src/a.ts" }, 'permission = "reject"')).toEqual(["3"]);
  });

  test("[Q8] our own tools may always be used, and what only looks like them not", async () => {
    for (const step of [
      { ask: "mcp__inbox__send_message" },
      { ask: "Send", name: "mcp__inbox__send_message" },
      { ask: "send_message (inbox MCP Server)" },
    ])
      expect((await asked(step)).answer).toEqual(["2"]);
    for (const ask of ["mcp__inbox__x; rm -rf /", "mcp__other__send", "rm (inbox MCP Server); rm"])
      expect((await asked({ ask })).answer).toEqual(["3"]);
  });
});

describe("ends that are none", () => {
  const reasons: [step: Step, error: string][] = [
    [{ stop: "max_tokens" }, "token limit"],
    [{ stop: "max_turn_requests" }, "limit of model requests"],
    [{ stop: "refusal" }, "refused"],
    [{ crash: 3 }, "exited before its turn was complete"],
  ];
  for (const [step, error] of reasons)
    test(`[Q5] ${JSON.stringify(step)} is a failure that keeps the output so far`, async () => {
      const { outcome } = await talked({ steps: [{ say: "half" }, step] });
      expect(outcome.error).toContain(error);
      expect(outcome.final).toBe("half");
    });

  test("[Q8] an agent that wants a login says what to do", async () => {
    const { outcome } = await talked({ ways: { login: true } });
    expect(outcome).toMatchObject({ final: "", error: expect.stringContaining("log in") });
  });

  for (const script of ["echo usage: …", "exec <&-; sleep 0.05; echo usage: …"])
    test(`[Q8] a program that speaks no ACP is a failure: ${script}`, async () => {
      using folder = temporaryFolder();
      const toml = `[runners.mine]\nkind = "acp"\ncommand = ["sh", "-c", "${script}"]`;
      const runner = await runnerIn(folder.path, "mine", toml);
      const { outcome, notes } = await play(runner, jobIn(folder));
      expect(outcome).toEqual({ final: "", error: "it exited before its turn was complete" });
      expect(texts(notes, "output")).toEqual(["usage: …"]);
    });

  test("[Q9] reports with less in them than there should be do no harm", async () => {
    const update = (update: object) =>
      JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s-1", update } });
    const broken = [
      { sessionUpdate: "agent_message_chunk" },
      { sessionUpdate: "tool_call" },
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "9",
        status: "completed",
        content: [{ type: "content" }],
      },
      { sessionUpdate: "made_up" },
      {},
    ];
    const steps: Step[] = [...broken.map((one) => ({ print: update(one) })), { say: "ok" }];
    expect((await talked({ steps })).outcome).toEqual({ final: "ok" });
  });

  test("[Q6] the agent is told that the task ends, and may still answer", async () => {
    const end = new AbortController();
    const notes: Noted[] = [];
    const { outcome } = await talked({
      steps: [{ wait: "cancel" }],
      signal: end.signal,
      note: async (note) => {
        notes.push(note);
        if (note.text === "waiting\n") end.abort();
      },
    });
    expect(outcome).toEqual({ final: "waiting\n", error: "it was cancelled" });
  });

  test("[Q6] a task that was to end before its turn began is cancelled too", async () => {
    const { outcome } = await talked({ steps: [{ wait: "cancel" }], signal: AbortSignal.abort() });
    expect(outcome.error).toBe("it was cancelled");
  });
});

describe("going on, and models", () => {
  for (const ways of [{ resume: true }, { load: true }, { load: true, resume: true }])
    test(`[Q12] a conversation is resumed if the agent can (${Object.keys(ways).join(", ")}), and is not repeated`, async () => {
      using folder = temporaryFolder();
      const first = await talked({ ways, folder, job: { prompt: "one" } });
      expect(first.outcome).toEqual({ final: "none: one", session: "s-1" });
      const job: Partial<Job> = { prompt: "two", session: "s-1", instructions: "Be brief." };
      const second = await talked({ ways, folder, job });
      expect(second.outcome).toEqual({ final: "none: two", session: "s-1" });
      expect(texts(second.notes, "output")).toEqual(["none: two"]);
      expect(await Bun.file(join(folder.path, "memory.json")).json()).toEqual(["one", "two"]);
    });

  test("[Q12] an agent that cannot go on names no session", async () => {
    expect((await talked({ job: { prompt: "one" } })).outcome.session).toBeUndefined();
  });

  test("[Q8] a model is chosen by the protocol, or by a flag of the runner's", async () => {
    const ways = { models: ["small", "big"] };
    expect((await talked({ ways, job: { prompt: "x", model: "big" } })).outcome.final).toBe("big: x");
    const flag = await talked({
      settings: 'model = ["--model", "{model}"]',
      job: { prompt: "x", model: "big" },
    });
    expect(flag.outcome.final).toBe("none: x");
    expect(flag.launch.argv.slice(-2)).toEqual(["--model", "big"]);
  });

  test("[Q8] a model that is not there is refused with those that are", async () => {
    const unknown = await talked({ ways: { models: ["small", "big"] }, job: { model: "huge" } });
    expect(unknown.outcome.error).toBe('it has no model "huge"; there are small, big');
    const none = await talked({ job: { model: "huge" } });
    expect(none.outcome.error).toContain("does not support selecting a model");
  });
});
