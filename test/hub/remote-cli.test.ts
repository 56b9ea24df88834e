/** [S1] The same commands on a file and at a hub: same answers, same exit codes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { type Desk, desk, type Result, run, start } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type ServedHub, served } from "../support/hub.ts";
import { until, untilWatching } from "../support/until.ts";

/** Both are asked the same, one after the other, from the same folder. */
async function both() {
  const folder = temporaryFolder();
  const file = join(folder.path, "coord.db");
  await run(["init", "--db", file]);
  const hub = await served();
  const ask = (db: string, args: string[], stdin?: string) =>
    run([...args, "--json", "--db", db], { cwd: folder.path, stdin });
  return {
    async expectSame(args: string[], stdin?: string): Promise<Result> {
      const [here, there] = await Promise.all([ask(file, args, stdin), ask(hub.url, args, stdin)]);
      expect([args, settled(there, hub.url)]).toEqual([args, settled(here, file)]);
      return here;
    },
    hub,
    [Symbol.asyncDispose]: async () => {
      await hub[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** Without what time and chance make different, and where it was asked ([C13.5]). */
function settled({ code, stdout, stderr }: Result, db: string) {
  const text = stdout
    .replaceAll(`--db ${db} `, "--db HERE ")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/"token":"[^"]+"/g, '"token":"DRAWN"')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID");
  return { code, stdout: text, stderr };
}

const w = ["--agent", "w"];
const lead = ["--from", "lead"];
const task = ["send", ...lead, "--to", "w", "--subject", "s"];

describe("every kind of command", () => {
  let pair: Awaited<ReturnType<typeof both>>;
  beforeAll(async () => {
    pair = await both();
  });
  afterAll(() => pair[Symbol.asyncDispose]());

  const round: [args: string[], code: number][] = [
    [["fetch", ...w], 10],
    [["claim", ...w], 10],
    [["receive", ...w, "--timeout-seconds", "0"], 10],
    [["list"], 0],
    [[...task, "--payload-json", '{"Key One": 1}', "--artifact", "x.md"], 0],
    [[...task, "--priority", "high", "--body", "line\nline", "--idempotency-key", "k"], 0],
    [[...task, "--priority", "high", "--body", "line\nline", "--idempotency-key", "k"], 0],
    [[...task, "--idempotency-key", "k"], 20],
    [[...task, "--idempotency-key", "  spaced ä  "], 0],
    [["fetch", ...w, "--unread"], 0],
    [["fetch", ...w, "--status", "pending|blocked", "--limit", "1"], 0],
    [["claim", "thr_1", ...w], 0],
    [["claim", "thr_1", "--agent", "x"], 20],
    [["renew", "thr_1", ...w, "--lease-seconds", "60"], 0],
    [["renew", "thr_1", ...w, "--lease-token", "nonsense"], 30],
    [["renew", "thr_1", ...w, "--lease-token", "0123456789abcdef01234567"], 20],
    [["update", "thr_1", ...w, "--status", "blocked"], 30],
    [["update", "thr_1", ...w, "--status", "blocked", "--summary", "which?"], 0],
    [["reply", "thr_1", "this one", ...lead], 0],
    [["wait-reply", "thr_1", ...w, "--timeout-seconds", "5"], 0],
    [["wait-reply", "thr_1", ...w, "--kinds", "control", "--timeout-seconds", "0.01"], 10],
    [["wait-reply", "thr_99", ...w], 40],
    [["done", "thr_1", "ok", ...w], 0],
    [["done", "thr_1", "ok", ...w], 0],
    [["done", "thr_1", "other", ...w], 30],
    [["claim", ...w, "--wait", "--timeout-seconds", "5"], 0],
    [["release", "thr_2", ...w], 0],
    [["fail", "thr_2", "no", ...w], 30],
    [["cancel", "thr_2", "--agent", "lead", "--reason", "enough"], 0],
    [["show", "thr_1"], 0],
    [["show", "thr_1", "--agent", "lead", "--mark-read"], 0],
    [["show", "thr_99"], 40],
    [["list", "--status", "done,cancelled", "--limit", "1"], 0],
    [["watch", "--after-event", "0", "--limit", "3"], 0],
    [["watch", "--timeout-seconds", "0.01"], 10],
    [["watch", "--follow", "--after-event", "0", "--timeout-seconds", "0.3"], 0],
    [["watch", "--follow", "--after-event", "0", "--thread", "thr_1", "--timeout-seconds", "0.3"], 0],
    [["watch", "--follow", "--after-event", "0", "--timeout-seconds", "0"], 0],
    [["send", "w", "hello"], 0],
    [["send", "nobodyy", "hello", "--strict"], 40],
    [["mail", ...w], 0],
    [["receive", ...w, "--timeout-seconds", "0"], 0],
    [["check", ...w, "--lifo"], 0],
    [["check", ...w], 10],
    [["wait", ...w, "--timeout-seconds", "0.01"], 10],
    [["send", "main", "mine", "--agent", "w"], 0],
    [["gather", "--from", "w,x", "--need", "any", "--timeout-seconds", "1"], 0],
    [["gather", "--from", "w,x", "--timeout-seconds", "0.01"], 10],
    [["msg", "send", "c", "one", "--correlation", "k", "--metadata", '{"a":[1,{"b":null}]}'], 0],
    [["msg", "send", "c", "two", "--correlation", "k", "--ttl", "60", "--sender", "ci", "--task", "T"], 0],
    [["msg", "send", "*", "everybody"], 0],
    [["msg", "inbox", "c"], 0],
    [["msg", "inbox", "c", "--sender", "ci", "--limit", "1"], 0],
    [["msg", "inbox", "c", "--reader", "r", "--commit"], 0],
    [["msg", "inbox", "c", "--reader", "r"], 0],
    [["msg", "replies", "k"], 0],
    [["msg", "pending", "c"], 0],
    [["msg", "ack", "1"], 0],
    [["msg", "ack", "999"], 40],
    [["msg", "status", "1"], 0],
    [["msg", "ack", "all", "c"], 0],
    [["msg", "inbox", "c", "--include-acked", "--after", "1"], 0],
    [["msg", "gc", "--acked-older-than", "24"], 0],
    [["dlq", "list"], 0],
    [["dlq", "show", "1"], 40],
    [["dlq", "requeue", "1"], 40],
    [["dlq", "purge", "--channel", "c"], 0],
    [["pool", "join", "p", ...w], 0],
    [["pool", "leave", "p", ...w], 0],
    [["token", "create", "--agent", "w", "--scope", "leader"], 0],
    [["token", "list"], 0],
    [["token", "revoke", "tok_1"], 0],
    [["token", "revoke", "tok_9"], 40],
  ];

  test("[S1] [C2] [C3] answers the same, in order", async () => {
    for (const [args, code] of round) {
      const result = await pair.expectSame(args);
      expect([args, result.code]).toEqual([args, code]);
    }
  });

  test("[S1] [C2] wrong input is refused in the same words", async () => {
    for (const args of [
      ["claim"],
      ["send", ...lead, "--to", "w"],
      ["send", ...lead, "--to", "-x", "--subject", "s"],
      ["msg", "send", "c"],
      ["msg", "inbox", "c", "--limit", "0"],
      ["msg", "inbox", "c", "--after", "x"],
      ["show", "nonsense"],
      ["renew", "thr_1", ...w, "--lease-seconds", "0"],
      ["receive", ...w, "--timeout-seconds", "-1"],
      ["gather", "--from", "a", "--need", "2", "--timeout-seconds", "0"],
      ["watch", "--status", "odd"],
      ["watch", "--follow", "--limit", "0"],
      ["list", "--nonsense"],
      ["msg", "send", "c", "x", "--metadata", "[]"],
      ["msg", "ack", "1", "--idempotency-key", ""],
    ]) {
      const { code, json } = await pair.expectSame(args);
      expect([args, code, json.ok]).toEqual([args, 30, false]);
    }
  });

  test("[S1] names of every kind", async () => {
    for (const name of ["a/b", "50%", "a?b#c", "ä ö", "+", "...", "~", "a\\b"]) {
      await pair.expectSame(["send", name, "hello"]);
      expect((await pair.expectSame(["msg", "inbox", name])).json).toHaveLength(1);
      expect((await pair.expectSame(["check", "--agent", name])).code).toBe(0);
      await pair.expectSame(["watch", "--agent", name, "--after-event", "0"]);
    }
  });

  test.each([".", ".."])("[S1] the name %j, which means something else in an address", async (name) => {
    await using own = await both();
    const { code } = await own.expectSame(["send", name, "hello"]);
    if (code === 0) await own.expectSame(["check", "--agent", name]);
  });

  test("[S1] [M10] texts at the limits", async () => {
    const at = ["send", ...lead, "--to", "w", "--subject", "s", "--body-file", "-"];
    const most = 1024 * 1024;
    expect((await pair.expectSame(at, "\u0001".repeat(most))).code).toBe(0);
    expect((await pair.expectSame(at, "x".repeat(most + 1))).code).toBe(30);
    expect((await pair.expectSame(at, "\u{1f600}\u2028\ufeff\u202e")).code).toBe(0);
  });

  test("[S1] [S2] init and doctor are about files, and say so", async () => {
    for (const command of ["init", "doctor"]) {
      const { code, json } = await run([command, "--json", "--db", pair.hub.url]);
      expect([command, code, json.error.code]).toEqual([command, 30, "invalid_input"]);
      expect(json.error.message).toContain(pair.hub.url);
    }
  });

  test("[S1] INBOX_DB may be a hub, with a slash at its end", async () => {
    const { code } = await run(["list", "--json"], { env: { INBOX_DB: `${pair.hub.url}/` } });
    expect(code).toBe(0);
  });

  test("[S1] people see the same too", async () => {
    const human = (db: string) => run(["show", "thr_1", "--db", db]);
    const there = await human(pair.hub.url);
    expect([there.code, there.stdout.includes("thr_1")]).toEqual([0, true]);
  });
});

describe("a hub that is not there", () => {
  test("[S1] [C3] [G4] is a clear error with exit 50", async () => {
    const nowhere = "http://127.0.0.1:9"; // a port no hub is given by chance
    for (const args of [
      ["list"],
      ["send", "w", "x"],
      ["receive", "--timeout-seconds", "0"],
      ["watch", "--follow"],
    ]) {
      const { code, json } = await run([...args, "--json", "--db", nowhere]);
      expect([args, code, json.error?.code]).toEqual([args, 50, "storage"]);
      expect(json.error.message).toContain(nowhere);
      expect(json.error.hint).toContain("inbox up --port");
    }
  });

  test("[S1] [C3] but another program is, is exit 50 and an error about that", async () => {
    using other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("<html>hello") });
    const { code, json } = await run(["list", "--json", "--db", `http://127.0.0.1:${other.port}`]);
    expect([code, json.error.code]).toEqual([50, "storage"]);
  });

  test("[S1] [C3] an invalid address is exit 30", async () => {
    for (const db of ["http://", "http://:80", "https://a b/"]) {
      const { code, json } = await run(["list", "--json", "--db", db]);
      expect([db, code, json.error.code]).toEqual([db, 30, "invalid_input"]);
    }
  });

  test("[G4] [W6] a wait at a hub that stops ends with an error, not in silence", async () => {
    await using hub = await served();
    // A wait that had begun half a second ago goes on until its time is over: a hub may come back.
    const child = start(["receive", "--agent", "w", "--timeout-seconds", "10", "--json", "--db", hub.url]);
    await until("one waits at the hub", async () =>
      (await hub.ask("GET /metrics")).text.includes("restante_waiters 1\n"),
    );
    hub.kill("SIGKILL");
    const stdout = await new Response(child.stdout).text();
    expect([await child.exited, JSON.parse(stdout).error.code]).toEqual([50, "storage"]);
  });
});

describe("one file, a hub on it, and commands beside it", () => {
  let at: Desk;
  let hub: ServedHub;
  const children: Subprocess[] = [];
  beforeAll(async () => {
    at = await desk();
    hub = await served(at.db);
  });
  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL");
    await Promise.all(children.map((child) => child.exited));
    await hub[Symbol.asyncDispose]();
    at[Symbol.dispose]();
  });

  const json = async (child: Subprocess<"pipe", "pipe", "pipe">) =>
    JSON.parse(await new Response(child.stdout).text());
  const untilWaiting = () =>
    until("one waits at the hub", async () =>
      (await hub.ask("GET /metrics")).text.includes("restante_waiters 1\n"),
    );

  test("[W5] a receive on the file is woken by a POST at the hub", async () => {
    const child = at.start("receive", "--agent", "a", "--json");
    children.push(child);
    await untilWatching(child);
    await hub.ask("POST /terminals/a/inbox/messages", { sender_id: "s", message: "from the hub" });
    expect((await json(child)).messages).toMatchObject([{ message: "from the hub" }]);
  });

  test("[W5] a long poll at the hub is woken by a command on the file", async () => {
    const waiting = hub.ask("GET /terminals/b/inbox/messages/wait?timeout=20&batch_window=0");
    await untilWaiting();
    await at.inbox("send", "b", "from the file");
    expect((await waiting).json).toMatchObject([{ message: "from the file" }]);
  });

  test("[W5] a receive at the hub is woken by a command on the file, and by one at the hub", async () => {
    for (const db of [at.db, hub.url]) {
      const child = start(["receive", "--agent", "c", "--json", "--db", hub.url]);
      children.push(child);
      await untilWaiting();
      await run(["send", "c", "now", "--db", db]);
      expect((await json(child)).messages).toMatchObject([{ message: "now" }]);
      expect(await child.exited).toBe(0);
    }
  });

  test("[W5] [W6] watch --follow at the hub tells what a command on the file did", async () => {
    const child = start([
      "watch",
      "--follow",
      "--json",
      "--db",
      hub.url,
      "--after-event",
      "0",
      "--agent",
      "d",
    ]);
    children.push(child);
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const { thread } = (await at.inbox("send", "--from", "lead", "--to", "d", "--subject", "s")).json;
    let text = "";
    while (!text.includes(thread.thread_id)) {
      const { value, done } = await reader.read();
      if (done) throw new Error("the stream has ended");
      text += value;
    }
    expect(JSON.parse(text.split("\n").find((one) => one.includes(thread.thread_id))!)).toHaveProperty(
      "event_id",
    );
  });

  test("[W4] a receive at the hub that is killed consumes nothing", async () => {
    const waiters = async () =>
      Number(/restante_waiters (\d+)/.exec((await hub.ask("GET /metrics")).text)![1]);
    const before = await waiters();
    const child = start(["receive", "--agent", "e", "--json", "--db", hub.url]);
    await until("one more waits at the hub", async () => (await waiters()) === before + 1);
    child.kill("SIGKILL");
    await child.exited;
    await until("as many wait at the hub as before", async () => (await waiters()) === before);
    await at.inbox("send", "e", "still there");
    expect((await at.inbox("check", "--agent", "e")).json.messages).toMatchObject([{ redelivered: false }]);
  });
});
