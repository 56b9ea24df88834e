import { describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import type { Permission } from "../../src/contract/task.ts";
import { finalLimit } from "../../src/orch/runners/runner.ts";
import { temporaryFolder } from "../support/folder.ts";
import { jobIn, play, runnerIn } from "../support/play-runner.ts";
import { refusal } from "../support/refusal.ts";

/** A program that prints its arguments and its standard input as JSON. */
const echo = `["sh", "-c", 'for word in "$@"; do printf "<%s>" "$word"; done; printf "|"; cat', "echo"`;

async function echoed(settings: string, command = `${echo}]`) {
  const folder = temporaryFolder();
  const runner = await runnerIn(folder.path, "echo", `[runners.echo]\ncommand = ${command}\n${settings}`);
  return { folder, runner, [Symbol.dispose]: folder[Symbol.dispose] };
}

describe("any command", () => {
  test("[Q8] what it prints is the final message, without its last line break", async () => {
    using e = await echoed("", `["printf", "one\\\\n\\\\ntwo\\\\n\\\\n"]`);
    const { outcome, notes, code } = await play(e.runner, jobIn(e.folder));
    expect(code).toBe(0);
    expect(outcome).toEqual({ final: "one\n\ntwo\n" });
    expect(notes).toEqual([{ kind: "output", text: "one\n\ntwo\n\n" }]);
  });

  test("[Q8] the prompt comes on standard input, unless an argument holds it", async () => {
    const prompt = 'it\'s $HOME `x` "{model}" {cwd}\n--flag ünï';
    using e = await echoed("");
    expect((await play(e.runner, jobIn(e.folder, { prompt }))).outcome.final).toBe(`|${prompt}`);
    using a = await echoed("", `${echo}, "-p={prompt}"]`);
    expect((await play(a.runner, jobIn(a.folder, { prompt }))).outcome.final).toBe(`<-p=${prompt}>|`);
    using l = await echoed('prompt = "argument"');
    expect((await play(l.runner, jobIn(l.folder, { prompt }))).outcome.final).toBe(`<${prompt}>|`);
  });

  test("[Q8] name, directory and model are filled in, and other braces stay", async () => {
    using e = await echoed("", `${echo}, "{name}", "{cwd}", "m={model}", "{print $1}", "{}"]`);
    const job = jobIn(e.folder, { model: "big", prompt: "" });
    expect((await play(e.runner, job)).outcome.final).toBe(`<sub><${e.folder.path}><m=big><{print $1}><{}>|`);
  });

  test("[Q8] the model flag is there only where a model is, and before the end of flags", async () => {
    using e = await echoed('model = ["--model", "{model}"]', `${echo}, "--", "{prompt}"]`);
    const model = await play(e.runner, jobIn(e.folder, { model: "big" }));
    expect(model.outcome.final).toBe("<--model><big><--><do it>|");
    expect((await play(e.runner, jobIn(e.folder))).outcome.final).toBe("<--><do it>|");
  });

  test("[Q8] instructions come before the prompt", async () => {
    using e = await echoed("");
    const job = jobIn(e.folder, { instructions: "Be brief." });
    expect((await play(e.runner, job)).outcome.final).toBe("|Be brief.\n\ndo it");
  });

  test("[Q8] its environment has what the runner says, and the identity whatever the runner says", async () => {
    using e = await echoed(
      'env = { COLOR = "red", INBOX_AGENT = "other" }',
      '["sh", "-c", "echo $COLOR $INBOX_AGENT"]',
    );
    const job = jobIn(e.folder, { mcp: { command: "x", args: [], env: { INBOX_AGENT: "sub" } } });
    expect((await play(e.runner, job)).outcome.final).toBe("red sub");
  });

  test("[Q8] a prompt that no argument can hold is refused with the way out", async () => {
    using e = await echoed("", `${echo}, "{prompt}"]`);
    const error = await refusal(
      Promise.try(() => e.runner.launch(jobIn(e.folder, { prompt: "x".repeat(200_000) }))),
    );
    expect(error).toMatchObject({ code: "too_large" });
    expect(error.hint).toContain('prompt = "stdin"');
    using s = await echoed("");
    const { outcome } = await play(s.runner, jobIn(s.folder, { prompt: "x".repeat(200_000) }));
    expect(outcome.final).toHaveLength(200_001);
  });

  test("[Q8] invalid UTF-8 and U+0000 are replaced by characters that a message can contain", async () => {
    using e = await echoed("", `["printf", 'a\\377b\\000c\\303']`);
    const { outcome, notes } = await play(e.runner, jobIn(e.folder));
    expect(outcome.final).toBe("a\ufffdb\ufffdc\ufffd");
    expect(notes.map(({ text }) => text).join("")).toBe(outcome.final);
  });

  test("[Q8] no output is an empty message", async () => {
    using e = await echoed("", '["true"]');
    const { outcome, notes } = await play(e.runner, jobIn(e.folder));
    expect(outcome).toEqual({ final: "" });
    expect(notes).toEqual([]);
  });

  test("[Q8] characters that are cut by the pipe arrive whole", async () => {
    const script = "for i in 1 2 3; do printf '\\\\342'; sleep 0.01; printf '\\\\202\\\\254'; done";
    using e = await echoed("", `["sh", "-c", "${script}"]`);
    expect((await play(e.runner, jobIn(e.folder))).outcome.final).toBe("€€€");
  });
});

describe("output of any size", () => {
  test("[Q9] a gigabyte goes to the transcript in pieces, and memory does not grow with it", async () => {
    using e = await echoed(
      "",
      `["sh", "-c", "yes 0123456789abcde | head -c 1073741824; printf 'the end €'"]`,
    );
    let bytes = 0;
    let largest = 0;
    let most = 0;
    Bun.gc(true);
    const before = process.memoryUsage.rss();
    const { outcome } = await play(e.runner, jobIn(e.folder), {
      note: async ({ text }) => {
        const size = Buffer.byteLength(text);
        bytes += size;
        largest = Math.max(largest, size);
        most = Math.max(most, process.memoryUsage.rss());
      },
    });
    expect(bytes).toBe(2 ** 30 + 11);
    expect(largest).toBeLessThanOrEqual(64 * 1024);
    // Half of what came: how soon a runtime gives memory back is its own affair.
    expect(most - before).toBeLessThan(512 * 2 ** 20);
    expect(outcome.final).toEndWith("0123456789abcde\nthe end €");
    expect(Buffer.byteLength(outcome.final)).toBe(finalLimit);
    expect(outcome.cut).toBe(2 ** 30 + 11 - finalLimit);
  });

  test("[Q5] [Q5.6] the end of a long message is cut at a character", async () => {
    using e = await echoed("", `["sh", "-c", "yes € | tr -d '\\\\n' | head -c 900000; printf x"]`);
    const { outcome, notes } = await play(e.runner, jobIn(e.folder));
    expect(outcome.final).toMatch(/^€+x$/);
    expect(finalLimit - Buffer.byteLength(outcome.final)).toBeLessThan(3);
    expect(outcome.cut).toBe(900_001 - Buffer.byteLength(outcome.final));
    expect(notes.map(({ text }) => text).join("")).toMatch(/^€{300000}x$/);
  });
});

test("[Q5.6] a message that just fits is whole, and one byte more is counted, also inside a JSON object", async () => {
  for (const [size, cut] of [
    [finalLimit, undefined],
    [finalLimit + 1, 1],
  ] as const) {
    const x = `head -c ${size} /dev/zero | tr '\\\\0' x`;
    using plain = await echoed("", `["sh", "-c", "${x}"]`);
    using json = await echoed(
      'output = "json"',
      `["sh", "-c", "printf '%s' '{\\"result\\": \\"'; ${x}; printf '%s' '\\"}'"]`,
    );
    for (const { runner, folder } of [plain, json]) {
      const { outcome } = await play(runner, jobIn(folder));
      expect(outcome.final).toBe("x".repeat(finalLimit));
      expect(outcome.cut).toBe(cut);
      expect(outcome.error).toBeUndefined();
    }
  }
});

describe('output = "json"', () => {
  const printing = async (text: string, more = "") => {
    using e = await echoed(`output = "json"\n${more}`, `["printf", "%s", ${JSON.stringify(text)}]`);
    return (await play(e.runner, jobIn(e.folder))).outcome;
  };

  test("[Q8] the final message is in result, message or text", async () => {
    expect(await printing('{"result": "r", "text": "t"}\n')).toEqual({ final: "r" });
    expect(await printing('{"message": "m"}')).toEqual({ final: "m" });
    expect(await printing('{\n "text": "t",\n "session_id": "s1"\n}')).toEqual({ final: "t", session: "s1" });
    expect(await printing('{"result": {"a": 1}}')).toEqual({ final: '{"a":1}' });
    expect(await printing('loading…\n{"result": "r"}\n')).toEqual({ final: "r" });
  });

  test("[Q5] an error in it, or no object at all, is a failure that keeps the output", async () => {
    expect(await printing('{"error": "no money", "result": "half"}')).toEqual({
      final: "half",
      error: "no money",
    });
    expect(await printing('{"answer": 1}')).toEqual({
      final: '{"answer": 1}',
      error: "printed a JSON object without result, message or text",
    });
    const none = await printing("plain words");
    expect(none).toMatchObject({ final: "plain words", error: expect.stringContaining("no JSON object") });
    expect(await printing("")).toMatchObject({ final: "", error: expect.stringContaining("no JSON object") });
    expect(await printing("[1]")).toMatchObject({ error: expect.stringContaining("no JSON object") });
  });

  test("[Q8] half a surrogate pair in it does not spoil the message", async () => {
    expect(await printing('{"result": "a\\ud800b\\u0000"}')).toEqual({ final: "a\ufffdb\ufffd" });
  });
});

describe("going on with a conversation", () => {
  test("[Q12] a command that asks for a session is given a name, and the resume command the same", async () => {
    using e = await echoed(`resume = ${echo}, "again", "{session}"]`, `${echo}, "{session}"]`);
    expect(e.runner.resumes).toBe(true);
    const first = await play(e.runner, jobIn(e.folder, { instructions: "Be brief." }));
    const { session } = first.outcome;
    expect(session).toMatch(/^[0-9a-f-]{36}$/);
    expect(first.outcome.final).toBe(`<${session}>|Be brief.\n\ndo it`);
    const job = jobIn(e.folder, { session, prompt: "once more", instructions: "Be brief." });
    const second = await play(e.runner, job);
    expect(second.outcome).toEqual({ final: `<again><${session}>|once more`, session });
  });

  test("[Q12] a program that says its session in JSON, and a resume command that needs none", async () => {
    using said = await echoed(
      'output = "json"\nresume = ["echo", "{session}"]',
      `["echo", '{"text":"t","session":"abc"}']`,
    );
    expect((await play(said.runner, jobIn(said.folder))).outcome).toEqual({ final: "t", session: "abc" });
    expect(said.runner.launch(jobIn(said.folder, { session: "abc" })).argv).toEqual(["echo", "abc"]);
    using last = await echoed(`resume = ${echo}, "--continue"]`);
    const { outcome } = await play(last.runner, jobIn(last.folder));
    expect(last.runner.launch(jobIn(last.folder, outcome)).argv.at(-1)).toBe("--continue");
  });

  test("[Q12] without a resume command it cannot", async () => {
    using e = await echoed("");
    expect(e.runner.resumes).toBe(false);
    expect((await play(e.runner, jobIn(e.folder))).outcome.session).toBeUndefined();
  });
});

describe("programs that print events", () => {
  /** A runner of a built-in kind, with a program that prints what the test wants, whatever it is asked. */
  async function printing(kind: string, script: string) {
    using folder = temporaryFolder();
    const command = JSON.stringify(["sh", "-c", script]);
    const runner = await runnerIn(
      folder.path,
      "mine",
      `[runners.mine]\nkind = "${kind}"\ncommand = ${command}`,
    );
    return await play(runner, jobIn(folder));
  }
  const result = `{"type":"result","subtype":"success","is_error":false,"result":"fine","session_id":"s"}`;

  test("[Q9] other lines, broken bytes and a last line without its end are taken as they come", async () => {
    const script = `printf 'Warning: x\\r\\n\\n[1]\\n"text"\\n\\377\\n{"type":"assistant","message":{"content":[{"type":"text","text":"a\\377"}]}}\\n%s' '${result}'`;
    const { outcome, notes } = await printing("claude", script);
    expect(outcome).toEqual({ final: "fine", session: "s" });
    expect(notes.map(({ text }) => text)).toEqual(["Warning: x", "[1]", '"text"', "\ufffd", "a\ufffd"]);
  });

  test("[Q9] a line that does not end is omitted, with a notice", async () => {
    const script = `yes x | tr -d '\\n' | head -c 40000000; printf '\\n%s\\n' '${result}'`;
    const { outcome, notes } = await printing("claude", script);
    expect(outcome).toEqual({ final: "fine", session: "s" });
    expect(notes).toEqual([{ kind: "output", text: "(a line of 40000000 bytes was omitted)" }]);
  });

  test("[Q5] a program that ends without its last event has failed, and what it said is kept", async () => {
    const said = `{"type":"assistant","session_id":"s","message":{"content":[{"type":"text","text":"half"}]}}`;
    const { outcome } = await printing("claude", `echo '${said}'`);
    expect(outcome).toEqual({ final: "half", error: "it ended before it had a result", session: "s" });
    const item = `{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"half"}}`;
    const codex = await printing("codex", `echo '${item}'`);
    expect(codex.outcome).toEqual({ final: "half", error: "it exited before its turn was complete" });
    const opencode = await printing("opencode", "true");
    expect(opencode.outcome).toEqual({ final: "", error: "it exited without output" });
  });

  test("[Q5] an end that is an error says which", async () => {
    const ended = (more: object) =>
      printing("claude", `echo '${JSON.stringify({ type: "result", ...more })}'`).then(
        ({ outcome }) => outcome.error,
      );
    expect(await ended({ subtype: "error_max_turns", is_error: true })).toBe("it ended with error_max_turns");
    expect(await ended({ subtype: "error_during_execution", is_error: true, errors: ["a", "b"] })).toBe(
      "a; b",
    );
    expect(await ended({ subtype: "success", is_error: true, result: "no credit" })).toBe("no credit");
  });

  test("[Q9] an MCP server of ours that did not start is reported", async () => {
    const init = `{"type":"system","subtype":"init","mcp_servers":[{"name":"inbox","status":"failed"}]}`;
    const { notes } = await printing("claude", `echo '${init}'; echo '${result}'`);
    expect(notes).toMatchObject([{ kind: "error", text: expect.stringContaining("did not start") }]);
  });

  test("[Q9] actions of Codex itself are in the transcript too", async () => {
    const events = [
      { type: "item.started", item: { id: "1", type: "command_execution", command: "ls" } },
      {
        type: "item.completed",
        item: { id: "1", type: "command_execution", command: "ls", aggregated_output: "a\n" },
      },
      {
        type: "item.completed",
        item: { id: "2", type: "file_change", changes: [{ path: "x" }], status: "completed" },
      },
      { type: "item.completed", item: { id: "3", type: "reasoning", text: "hm" } },
      { type: "error", message: "again" },
      { type: "turn.failed", error: { message: "no credit" } },
    ];
    const { outcome, notes } = await printing(
      "codex",
      events
        .map((event) => `echo '${JSON.stringify(event)}'`)
        .join(";")
        .replaceAll("\\n", "\\\\n"),
    );
    expect(outcome).toEqual({ final: "", error: "no credit" });
    expect(notes).toEqual([
      { kind: "tool", tool: "shell", text: "ls" },
      { kind: "response", tool: "shell", text: "a\n" },
      { kind: "tool", tool: "file_change", text: '[{"path":"x"}]' },
      { kind: "response", tool: "file_change", text: "completed" },
      { kind: "error", text: "again" },
    ]);
  });
});

test("[Q15] the built-in programs get their permission in their own terms", async () => {
  const ways = {
    claude: { allow: "bypassPermissions", edit: "Edit(./**)" },
    codex: { allow: "--dangerously-bypass-approvals-and-sandbox", edit: 'sandbox_mode="workspace-write"' },
    gemini: { allow: "yolo", edit: "auto_edit" },
    opencode: { allow: "--auto", edit: undefined },
  } as const;
  using folder = temporaryFolder();
  for (const [name, { allow, edit }] of Object.entries(ways)) {
    const { launch } = await runnerIn(folder.path, name, "");
    const words = (permission: Permission) => launch(jobIn(folder, { permission })).argv.join(" ");
    expect([name, words("allow").includes(allow)]).toEqual([name, true]);
    if (edit) expect([name, words("edit").includes(edit)]).toEqual([name, true]);
    for (const word of [allow, edit ?? allow])
      expect([name, words("reject").includes(word)]).toEqual([name, false]);
  }
});

test("[Q15] Claude Code says in its result what it was refused", async () => {
  using folder = temporaryFolder();
  const result = {
    ...{ type: "result", subtype: "success", is_error: false, result: "half of it", session_id: "s" },
    permission_denials: [{ tool_name: "Bash" }, { tool_name: "Bash" }, { tool_name: "WebFetch" }],
  };
  const script = `#!/bin/sh\ncat >/dev/null; echo '${JSON.stringify(result)}'\n`;
  await Bun.write(join(folder.path, "claude"), script);
  chmodSync(join(folder.path, "claude"), 0o755);
  const runner = await runnerIn(folder.path, "claude", '[runners.claude]\ncommand = ["./claude"]');
  const { outcome } = await play(runner, jobIn(folder));
  expect(outcome).toEqual({ final: "half of it", session: "s", refused: ["Bash", "WebFetch"] });
});
