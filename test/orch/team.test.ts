/** [Q4] [Q11] Leading a team: assign and gather, handoff, what a sub-agent finds around it, and sub-agents of sub-agents. */
import { describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crews } from "../support/team.ts";
import { until } from "../support/until.ts";

describe.each(crews)("$name", ({ open }) => {
  test("[Q11] [B2] scatter-gather over MCP: three are assigned, check_inbox brings all three, each under its terminal id", async () => {
    await using crew = await open();
    await using lead = await crew.mcp("lead");
    const terminals = new Map<string, string>();
    for (const label of ["dataset_A", "dataset_B", "dataset_C"]) {
      const message = `inbox send lead "[Task: ${label}] mean of ${label}" >/dev/null`;
      const { fields } = await lead.call("assign", { profile: "sh", message });
      expect(fields).toEqual({ success: true, terminal_id: expect.any(String) });
      terminals.set(fields.terminal_id, label);
    }
    const got = new Map<string, string[]>();
    // Each says its result, and then ends without a word: two messages from each.
    while ([...got.values()].flat().length < 6) {
      const { fields } = await lead.call("check_inbox", { timeout: 60 });
      expect(fields).toMatchObject({ success: true, terminal_id: "lead" });
      for (const { sender_id, message } of fields.messages)
        got.set(sender_id, [...(got.get(sender_id) ?? []), message]);
    }
    for (const [terminal, label] of terminals)
      expect(got.get(terminal)).toEqual([
        `[Task: ${label}] mean of ${label}`,
        "(it finished without a final message)",
      ]);
  });

  test("[B5] [Q11] gather waits for the results of all that were assigned", async () => {
    await using crew = await open();
    const { orch } = crew;
    const names: string[] = [];
    for (const n of [1, 2, 3]) names.push((await orch("assign", `echo part ${n}`)).json.terminal_id);
    const { code, json } = await orch("gather", `from=${names.join(",")}`);
    expect([code, json.missing, json.dead]).toEqual([0, [], []]);
    expect(json.messages.map(({ message }: { message: string }) => message).toSorted()).toEqual([
      "part 1",
      "part 2",
      "part 3",
    ]);
    const second = await orch("gather", `from=${names[0]}`);
    expect([second.code, second.json]).toMatchObject([10, { dead: [names[0]] }]);
    expect((await crew.plain("orch", ["gather", `from=${names[0]}`])).stdout).toBe(
      `finished, result already collected: ${names[0]}\n`,
    );
  });

  test("[Q11] handoff answers with the result; one that takes longer is gone on with", async () => {
    await using crew = await open();
    const { inbox, orch } = crew;
    const quick = await orch("handoff", "sh", "echo reviewed");
    expect(quick.json).toMatchObject({
      ok: true,
      command: "handoff",
      success: true,
      status: "finished",
      message: "reviewed",
    });
    const slow = await orch(
      "handoff",
      "name=slow",
      "timeout-seconds=0",
      "inbox receive from=main >/dev/null; echo at last",
    );
    expect([slow.code, slow.json]).toEqual([
      10,
      {
        ok: true,
        command: "handoff",
        success: null,
        status: "running",
        terminal_id: "slow",
        message: null,
        messages: [],
      },
    ]);
    await inbox("send", "slow", "go");
    const { code, json } = await orch("handoff", "--terminal-id", "slow");
    expect([code, json.status, json.message]).toEqual([0, "finished", "at last"]);
    expect((await inbox("check")).code).toBe(10);
    const again = await crew.plain("orch", ["handoff", "--continue", "slow"]);
    expect(again.code).toBe(10);
    expect(again.stdout).toContain("already collected");
    expect(again.stdout).toContain("orch log slow shows what it did");
    const person = await crew.plain("orch", ["handoff", "echo for people"]);
    expect([person.code, person.stdout]).toEqual([0, "for people\n"]);
  });

  test("[Q11] handoff over MCP, with running in between", async () => {
    await using crew = await open();
    await using lead = await crew.mcp("lead");
    const first = await lead.call("handoff", {
      profile: "sh",
      message: "inbox receive from=lead >/dev/null; echo done",
      wait: 0,
    });
    expect(first.fields).toEqual({ status: "running", terminal_id: expect.any(String) });
    const { terminal_id } = first.fields;
    await lead.call("send_message", { receiver_id: terminal_id, message: "go" });
    const last = await lead.call("handoff", { terminal_id, wait: 60 });
    expect(last.fields).toEqual({ success: true, status: "finished", terminal_id, message: "done" });
    expect(last.text).toBe(`${terminal_id}:\n> done`);
  });

  test("[Q14] [B8] a running sub-agent lives, and what it leaves in its inbox comes back to its senders", async () => {
    await using crew = await open();
    const { inbox, orch } = crew;
    await orch("assign", "name=sub", "inbox send main up; inbox receive from=main >/dev/null");
    await inbox("receive");
    const agents = (await inbox("agents")).json.agents;
    expect(agents.find(({ name }: { name: string }) => name === "sub")).toMatchObject({ live: true });
    await inbox("send", "sub", "unread", "--from", "peer");
    await inbox("send", "sub", "go");
    await inbox("receive", "from=sub");
    expect((await inbox("check", "--agent", "peer")).json.messages).toMatchObject([
      { sender_id: "sub", kind: "control", message: expect.stringContaining('"sub" has finished') },
    ]);
  });
});

// Who a sub-agent is and whose does not depend on who carries the mail.
describe.each(crews.filter(({ name }) => name !== "with RabbitMQ"))("$name", ({ open }) => {
  test("[Q4] a sub-agent's environment has its name, its parent, the bus and both programs, and nothing about other agents", async () => {
    await using crew = await open();
    const { inbox, orch } = crew;
    const script = [
      "env -0 | tr '\\0' '\\n' | grep -E '^(INBOX_|BUN_)' | sort",
      "echo PWD=$(pwd)",
      "echo GROUP=$(ps -o pgid= -p $$ | tr -d ' ') SELF=$$",
      "command -v inbox; command -v orch",
      "inbox fetch --status claimed --json | tr -d '\\n'",
    ].join("; ");
    const pushed = await crew.plain("orch", ["push", "name=sub", "model=opus", "--cwd", "/tmp", script], {
      env: { INBOX_AGENT: "lead" },
    });
    expect(pushed.code).toBe(0);
    await crew.plain("orch", ["run"], {
      env: {
        INBOX_AGENT: "lead",
        INBOX_PARENT: "nobody",
        INBOX_THREAD: "thr_999",
        INBOX_TASK: "none",
        INBOX_MODEL: "wrong",
        INBOX_SUPERVISOR: "",
        BUN_OPTIONS: "",
      },
    });
    const { message } = (await inbox("receive", "--agent", "lead")).json.messages[0];
    const lines: string[] = message.split("\n");
    const found = Object.fromEntries(
      lines.filter((line) => /^[A-Z_]+=/.test(line)).map((line) => line.split(/=(.*)/s, 2)),
    );
    const { task } = (await orch("show", "sub")).json;
    expect(found).toMatchObject({
      INBOX_AGENT: "sub",
      INBOX_PARENT: "lead",
      INBOX_DB: crew.db,
      INBOX_THREAD: task.thread_id,
      INBOX_TASK: "sub",
      INBOX_RUNNER: "sh",
      INBOX_MODEL: "opus",
      PWD: "/tmp",
    });
    expect(found.INBOX_URL).toBe(crew.url ?? undefined);
    for (const name of ["INBOX_SUPERVISOR", "INBOX_KEEP", "INBOX_TOKEN", "INBOX_PROGRAM", "BUN_OPTIONS"])
      expect(found[name]).toBeUndefined();
    const [group, self] = found.GROUP!.split(" SELF=");
    expect(group).toBe(self);
    for (const program of ["inbox", "orch"])
      expect(lines.some((line) => line.endsWith(`-tasks/bin/${program}`))).toBe(true);
    expect(JSON.parse(lines.at(-1)!).threads).toMatchObject([
      { thread_id: task.thread_id, assigned_to: "sub", created_by: "lead", status: "claimed" },
    ]);
  });

  test("[Q4] [X2] where tokens are used a sub-agent has its own, for itself and for what it starts, and only while it lives", async () => {
    await using crew = await open();
    const { inbox, orch } = crew;
    await inbox("token", "create", "--agent", "boss", "--scope", "leader");
    const script = 'inbox send boss "$INBOX_TOKEN" >/dev/null; inbox receive from=boss >/dev/null';
    expect((await orch("assign", "--agent", "boss", "name=sub", script)).code).toBe(0);
    const [{ message: token, sender_verified }] = (await inbox("receive", "--agent", "boss")).json.messages;
    expect(sender_verified).toBe(true);
    const tokens = async () => (await inbox("token", "list")).json.tokens;
    expect((await tokens()).at(-1)).toMatchObject({ agent_id: "sub", scope: "worker", revoked_at: null });
    const asSub = () => crew.plain("inbox", ["check", "--json"], { env: { INBOX_TOKEN: token } });
    expect((await asSub()).code).toBe(10);
    const orchAsSub = (...args: string[]) =>
      crew.plain("orch", [...args, "--json"], { env: { INBOX_TOKEN: token } });
    expect((await orchAsSub("push", "name=below", "true")).code).toBe(0);
    expect((await orchAsSub("kill", "sub")).json.error.code).toBe("not_allowed");
    expect((await orchAsSub("remove", "below")).code).toBe(0);
    await inbox("send", "sub", "go", "--from", "boss");
    await inbox("receive", "--agent", "boss");
    expect((await tokens()).at(-1)).toMatchObject({ agent_id: "sub", revoked_at: expect.any(String) });
    expect((await asSub()).json.error.code).toBe("unauthenticated");
  });

  test("[Q4] sub-agents have sub-agents, five levels deep, and each answers to its own parent", async () => {
    await using crew = await open();
    writeFileSync(
      join(crew.path, "nest.sh"),
      `if [ "$1" = 0 ]; then echo "bottom"; exit; fi
       orch push name=level-$(($1 - 1)) "sh nest.sh $(($1 - 1))" >/dev/null && orch run >/dev/null
       echo "$(inbox receive --json | sed -n 's/.*"message": *"\\([^"]*\\)".*/\\1/p') < $INBOX_AGENT of $INBOX_PARENT"`,
    );
    await crew.orch("push", "name=level-4", "sh nest.sh 4");
    await crew.orch("run");
    const { message } = (await crew.inbox("receive")).json.messages[0];
    expect(message).toBe(
      "bottom < level-1 of level-2 < level-2 of level-3 < level-3 of level-4 < level-4 of main",
    );
    const { finished } = (await crew.orch("queue", "--all")).json;
    expect(finished.map(({ name, parent }: Record<string, string>) => `${name} of ${parent}`)).toEqual([
      "level-0 of level-1",
      "level-1 of level-2",
      "level-2 of level-3",
      "level-3 of level-4",
      "level-4 of main",
    ]);
  });

  test("[Q3] killing a task kills the tree below it", async () => {
    await using crew = await open();
    const { inbox, orch } = crew;
    const below = "inbox send main up; inbox receive from=nobody";
    await orch("assign", "name=top", `orch assign name=below '${below}' >/dev/null; inbox receive`);
    await inbox("receive", "from=below");
    expect((await orch("kill", "top")).json.killed).toEqual(["top", "below"]);
    await until(
      "nothing runs any more",
      async () => (await orch("queue", "--all")).json.running.length === 0,
    );
    expect((await inbox("check")).json.messages).toMatchObject([{ sender_id: "top", kind: "result" }]);
    const { task } = (await orch("show", "below")).json;
    expect(task).toMatchObject({ success: false, error: 'killed by "main": its parent "top" was killed' });
  });
});

// What is read, refused or handed down before a task is written does not depend on the database either: one command line, one hub.
describe.each(crews.filter(({ name }) => ["on a file", "through a hub"].includes(name)))(
  "$name",
  ({ open }) => {
    test("[X2] [X10] a worker's token starts nothing, and sees, changes and ends no task of another", async () => {
      await using crew = await open();
      const { token } = (await crew.inbox("token", "create", "--agent", "w", "--scope", "worker")).json;
      const asWorker = (...args: string[]) =>
        crew.plain("orch", [...args, "--json"], { env: { INBOX_TOKEN: token } });
      await crew.orch("push", "name=theirs", "sleep 1000");
      expect((await asWorker("queue", "--all")).json.queued).toEqual([]);
      for (const words of [
        ["push", "touch made"],
        ["run"],
        ["assign", "touch made"],
        ["handoff", "touch made"],
        ["edit", "theirs", "touch made"],
        ["move", "theirs", "1"],
        ["kill", "theirs"],
        ["remove", "theirs"],
      ]) {
        const { code, json } = await asWorker(...words);
        expect([words[0], code, json.error.code]).toEqual([words[0], 30, "not_allowed"]);
      }
      expect(existsSync(join(crew.path, "made"))).toBe(false);
    });

    test("[Q1] [Q4] what a sub-agent pushes over MCP inherits its folder, its model and its kind", async () => {
      await using crew = await open();
      const push = { jsonrpc: "2.0", id: 2, method: "tools/call" };
      const params = { name: "push", arguments: { name: "below", prompt: "pwd" } };
      const hello = {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: {
          protocolVersion: "2025-11-25",
          capabilities: {},
          clientInfo: { name: "script", version: "1" },
        },
      };
      const ready = { jsonrpc: "2.0", method: "notifications/initialized" };
      const words = [hello, ready, { ...push, params }].map((message) => JSON.stringify(message));
      writeFileSync(join(crew.path, "words.jsonl"), `${words.join("\n")}\n`);
      // It ends its input only when it has been answered, as a client would.
      const script = `mkfifo talk; inbox mcp < talk > heard & exec 3> talk; cat ${crew.path}/words.jsonl >&3
      until grep -q '"id":2' heard; do inbox check >/dev/null; done; exec 3>&-; wait; orch show below --json`;
      writeFileSync(join(crew.path, "script.sh"), script);
      const { json } = await crew.orch("handoff", "model=opus", "sh script.sh");
      expect(JSON.parse(json.message).task).toMatchObject({
        parent: json.terminal_id,
        cwd: crew.path,
        model: "opus",
        profile: "sh",
      });
    });

    test("[Q1] profile and model are passed on to sub-agents unless a push says otherwise", async () => {
      const profiles = `
default = "quiet"
[runners.quiet]
command = ["sh", "-c", "{prompt}"]
[runners.loud]
command = ["sh", "-c", "{prompt}"]
model = ["{model}"]
env = { LOUD = "yes" }
`;
      await using crew = await open(profiles);
      const { orch } = crew;
      const shown = 'echo "$LOUD $INBOX_MODEL."';
      const below = `orch handoff '${shown}'`;
      const answer = async (...words: string[]) => (await orch("handoff", ...words)).json.message;
      expect(await answer(below)).toBe(" .");
      expect(await answer("loud", "model=big", below)).toBe("yes big.");
      // A model is one of its own kind of agent: with another kind it is not handed down, and nothing is said that nobody heeds.
      expect(await answer("loud", "model=big", `orch handoff quiet '${shown}'`)).toBe(" .");
      const refused = await orch("handoff", "quiet", "model=small", shown);
      expect([refused.code, refused.json.error.message]).toEqual([
        30,
        'the runner "quiet" cannot select a model',
      ]);
    });

    test("[Q1] options are written key=value or --key value, and -- ends them", async () => {
      await using crew = await open();
      const { orch } = crew;
      const pushed = async (...words: string[]) => (await orch("push", ...words)).json.task;
      expect(await pushed("model=m", "name=a", "timeout=300", "echo x")).toMatchObject({
        name: "a",
        model: "m",
        timeout_seconds: 300,
        prompt: "echo x",
      });
      expect(await pushed("--model", "m", "--name=b", "--timeout", "300", "echo x")).toMatchObject({
        name: "b",
        model: "m",
        timeout_seconds: 300,
      });
      expect(
        await pushed("name=c", "after=a,b", "priority=high", "retries=1", "--", "x=1; echo $x"),
      ).toMatchObject({
        after: ["a", "b"],
        priority: "high",
        retries: 1,
        prompt: "x=1; echo $x",
      });
      const wrong = await orch("push", "nmae=d", "echo x");
      expect([wrong.code, wrong.json.error.message]).toEqual([
        30,
        "orch push has no option nmae=; did you mean name=?",
      ]);
      expect((await pushed("unquoted", "words", "are", "a", "prompt", "x=1")).prompt).toBe(
        "unquoted words are a prompt x=1",
      );
    });
  },
);
