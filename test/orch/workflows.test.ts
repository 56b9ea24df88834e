/** The ways of working with a queue and an inbox, with real processes: sub-agents are shell scripts that use both programs. */
import { describe, expect, test } from "bun:test";
import { crews } from "../support/team.ts";
import { until } from "../support/until.ts";

/** Waits until somebody says go, then answers. */
const waits = (answer: string) => `inbox receive from=main >/dev/null && echo ${answer}`;

describe.each(crews)("$name", ({ open }) => {
  test("[Q1] [Q2] [Q5] sequential: push, run, receive, and again with what came back", async () => {
    await using crew = await open();
    const { inbox, orch } = crew;
    const first = await orch("push", "printf 'the API has\\ntwo calls'");
    expect(first).toMatchObject({ code: 0, json: { ok: true, command: "push", task: { status: "queued" } } });
    const { name } = first.json.task;
    expect((await orch("run")).json).toMatchObject({ ok: true, command: "run", released: [name] });
    const result = (await inbox("receive")).json.messages[0];
    expect(result).toMatchObject({
      sender_id: name,
      message: "the API has\ntwo calls",
      kind: "result",
      sender_verified: true,
    });
    await orch("push", "name=implementer", `echo "made: ${result.message.split("\n")[1]}"`);
    await orch("run");
    expect((await inbox("receive", "from=implementer")).json.messages[0].message).toBe("made: two calls");
    expect((await orch("queue")).json).toMatchObject({
      ok: true,
      command: "queue",
      queued: [],
      running: [],
      finished: [
        { name, success: true, started_at: expect.any(String), finished_at: expect.any(String) },
        { name: "implementer", success: true },
      ],
    });
  });

  test("[Q2] [Q5] parallel: three at once, received as they finish", async () => {
    await using crew = await open();
    const { inbox, orch } = crew;
    // Each waits for the next: only together can they end, and in the order c, b, a.
    await orch("push", "name=a", "inbox receive from=b >/dev/null; echo A");
    await orch("push", "name=b", "inbox receive from=c >/dev/null; inbox send a go >/dev/null; echo B");
    await orch("push", "name=c", "inbox send b go >/dev/null; echo C");
    expect((await orch("run")).json.released).toEqual(["a", "b", "c"]);
    const answers = new Map<string, string>();
    for (let i = 0; i < 3; i++) {
      const { sender_id, message } = (await inbox("receive")).json.messages[0];
      answers.set(sender_id, message);
    }
    expect(Object.fromEntries(answers)).toEqual({ a: "A", b: "B", c: "C" });
    expect((await inbox("check")).code).toBe(10);
  });

  test("[B1] [Q5] async: check finds nothing until there is something", async () => {
    await using crew = await open();
    const { inbox, orch } = crew;
    await orch("push", "name=slow", waits("research"));
    await orch("run");
    expect((await inbox("check")).code).toBe(10);
    const queue = async () => (await orch("queue")).json;
    await until("one task runs", async () => (await queue()).running.length === 1);
    expect((await queue()).running).toMatchObject([{ name: "slow", started_at: expect.any(String) }]);
    expect((await inbox("check")).code).toBe(10);
    await inbox("send", "slow", "go");
    await crew.finished(1);
    const ready = await inbox("check");
    expect([ready.code, ready.json.messages.length]).toEqual([0, 1]);
    expect(ready.json.messages[0]).toMatchObject({ sender_id: "slow", message: "research" });
    expect((await inbox("check")).code).toBe(10);
  });

  test("[B1] [Q5] out of order: results are collected by name, and the rest as it comes", async () => {
    await using crew = await open();
    const { inbox, orch } = crew;
    for (const name of ["a", "b", "c"]) await orch("push", `name=${name}`, `echo task ${name}`);
    await orch("run");
    await crew.finished(3);
    const receive = async (...args: string[]) => (await inbox("receive", ...args)).json.messages[0].message;
    expect(await receive("from=b")).toBe("task b");
    expect(await receive("from=c")).toBe("task c");
    expect(await receive()).toBe("task a");
  });

  test("[Q5] progress: what a sub-agent sends on its way comes before its result", async () => {
    await using crew = await open();
    const { inbox, orch } = crew;
    const step = (n: number) =>
      `inbox send main "Phase ${n} complete" >/dev/null; inbox receive from=main >/dev/null`;
    await orch("push", "name=worker", `${step(1)}; ${step(2)}; echo finished`);
    await orch("run");
    for (const n of [1, 2]) {
      const { messages } = (await inbox("receive")).json;
      expect(messages).toMatchObject([
        { sender_id: "worker", message: `Phase ${n} complete`, kind: "event" },
      ]);
      await inbox("send", "worker", "go on");
    }
    expect((await inbox("receive")).json.messages).toMatchObject([
      { sender_id: "worker", message: "finished", kind: "result" },
    ]);
  });

  test("[Q4] siblings: one waits for what the other sends it", async () => {
    await using crew = await open();
    const { inbox, orch } = crew;
    await orch(
      "push",
      "name=analyzer",
      'inbox send implementer "patterns: visitor" >/dev/null; echo analysed',
    );
    await orch("push", "name=implementer", 'echo "used $(inbox receive from=analyzer)"');
    await orch("run");
    expect((await inbox("receive", "from=analyzer")).json.messages[0].message).toBe("analysed");
    expect((await inbox("receive", "from=implementer")).json.messages[0].message).toContain(
      "patterns: visitor",
    );
  });

  test("[Q5] errors do not get lost: a failure, a crash, a kill and a missing program all deliver", async () => {
    await using crew = await open();
    const { inbox, orch } = crew;
    await orch("push", "name=fails", "echo half; echo why >&2; exit 3");
    await orch("push", "name=crashes", "echo some; kill -9 $$");
    await orch("push", "name=killed", "echo begun; inbox send main up >/dev/null; inbox receive from=nobody");
    await orch("push", "name=nowhere", "--cwd", "/nonexistent/folder", "echo x");
    await orch("run");
    await inbox("receive", "from=killed");
    expect((await orch("kill", "killed", "enough")).json).toMatchObject({ killed: ["killed"] });
    const failures = new Map<string, Record<string, unknown>>();
    while (failures.size < 4) {
      const [{ sender_id, message, kind }] = (await inbox("receive")).json.messages;
      expect(kind).toBe("result");
      failures.set(sender_id, JSON.parse(message));
    }
    expect(Object.fromEntries(failures)).toEqual({
      fails: {
        from: "fails",
        success: false,
        error: "it exited with status 3: why",
        reason: "exit",
        partial_output: "half",
      },
      crashes: {
        from: "crashes",
        success: false,
        error: expect.stringContaining("SIGKILL"),
        reason: "exit",
        partial_output: "some",
      },
      killed: {
        from: "killed",
        success: false,
        error: 'killed by "main": enough',
        reason: "killed",
        partial_output: "begun",
      },
      nowhere: {
        from: "nowhere",
        success: false,
        error: expect.stringContaining("there is no folder /nonexistent/folder"),
        reason: "refused",
        partial_output: "",
      },
    });
    expect((await inbox("check")).code).toBe(10);
  });
});

// When a task starts and how it ends is the database's; that results are carried is seen above.
describe.each(crews.filter(({ name }) => name !== "with RabbitMQ"))("$name", ({ open }) => {
  test("[Q2] batched: never more than two at a time, and all of them in the end", async () => {
    await using crew = await open();
    const { inbox, orch } = crew;
    const refactor = `echo "start $INBOX_AGENT" >> log; inbox receive from=main >/dev/null; echo "end $INBOX_AGENT" >> log; echo ok`;
    const pushed: string[] = [];
    for (let i = 0; i < 5; i++) pushed.push((await orch("push", refactor)).json.task.name);
    expect((await orch("run", "2")).json).toMatchObject({ released: pushed, waiting: 5 });
    const started = () => crew.lines("log").filter((line) => line.startsWith("start"));
    for (let done = 0; done < 5; done++) {
      await until(
        "as many tasks have started as there is room for",
        () => started().length === Math.min(5, done + 2),
      );
      const { running, queued } = (await orch("queue")).json;
      expect([running.length, queued.length]).toEqual([Math.min(2, 5 - done), Math.max(0, 3 - done)]);
      // The younger one first: they may end in any order.
      const { name } = running.at(-1);
      await inbox("send", name, "go");
      const { sender_id, message } = (await inbox("receive")).json.messages[0];
      expect([sender_id, message]).toEqual([name, "ok"]);
    }
    let [now, most] = [0, 0];
    for (const line of crew.lines("log")) {
      now += line.startsWith("start") ? 1 : -1;
      most = Math.max(most, now);
    }
    expect([now, most]).toEqual([0, 2]);
  });

  test("[Q6] a timeout ends it hard, whether push or run has set it", async () => {
    await using crew = await open();
    const { inbox, orch } = crew;
    const stubborn = "trap '' TERM; echo begun; inbox receive from=nobody";
    await orch("push", "name=own", "timeout=0.5", stubborn);
    await orch("push", "name=runs", stubborn);
    await orch("run", "timeout=0.6");
    for (const [name, seconds] of [
      ["own", 0.5],
      ["runs", 0.6],
    ]) {
      const { message } = (await inbox("receive", `from=${name}`)).json.messages[0];
      expect(JSON.parse(message)).toMatchObject({
        success: false,
        error: `it exceeded its timeout of ${seconds} seconds and was killed`,
      });
    }
  });

  test("[Q5] a sub-agent that says done itself has said its result; what it prints is for the transcript", async () => {
    await using crew = await open();
    const { inbox, orch } = crew;
    await orch(
      "push",
      "name=exact",
      'inbox done --thread "$INBOX_THREAD" --summary "the result"; echo chatter',
    );
    await orch("run");
    await crew.finished(1);
    const { messages } = (await inbox("check")).json;
    expect(messages).toMatchObject([{ sender_id: "exact", message: "the result", kind: "result" }]);
    const { entries } = (await orch("log", "exact")).json;
    expect(entries.map(({ kind }: { kind: string }) => kind)).toEqual(
      expect.arrayContaining(["prompt", "output", "final"]),
    );
  });

  test("[Q3] [T8] cancelling the thread of a task kills its sub-agent", async () => {
    await using crew = await open();
    const { inbox, orch } = crew;
    await orch("push", "name=sub", 'inbox send main "$INBOX_THREAD"; inbox receive from=nobody');
    await orch("run");
    const thread = (await inbox("receive")).json.messages[0].message;
    expect((await inbox("cancel", "--agent", "main", "--thread", thread)).code).toBe(0);
    const { message } = (await inbox("receive")).json.messages[0];
    expect(JSON.parse(message)).toMatchObject({ from: "sub", error: "its thread was cancelled" });
  });

  test("[Q10] a task follows those it waits for; with retries only the last outcome comes", async () => {
    await using crew = await open();
    const { inbox, orch } = crew;
    await orch(
      "push",
      "name=flaky",
      "retries=2",
      "echo try >> tries; test $(wc -l < tries) -ge 2 && echo lucky",
    );
    await orch("push", "name=next", "after=flaky", "wc -l < tries");
    await orch("run");
    expect((await inbox("receive")).json.messages[0]).toMatchObject({ sender_id: "flaky", message: "lucky" });
    expect((await inbox("receive")).json.messages[0]).toMatchObject({ sender_id: "next", message: "2" });
  });

  test("[Q10] a task for a living worker is claimed, worked on and finished by it", async () => {
    await using crew = await open();
    const { inbox, orch } = crew;
    await inbox("pool", "join", "diggers", "--agent", "joe");
    const { terminal_id } = (await orch("assign", "worker=diggers", "dig")).json;
    const claim = await inbox("claim", "--agent", "joe", "--wait", "--timeout-seconds", "60");
    expect(claim.json.thread).toMatchObject({ task_id: terminal_id, subject: "dig" });
    await inbox("done", "--agent", "joe", "--thread", claim.json.thread.thread_id, "--summary", "dug");
    const handed = await orch("handoff", "--terminal-id", terminal_id);
    expect(handed.json).toMatchObject({ success: true, status: "finished", message: "dug" });
  });
});
