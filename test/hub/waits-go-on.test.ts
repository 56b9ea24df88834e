/** Waits at a hub are as long as they were asked to be: over many requests, and over a hub that goes away. */
import { describe, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import type { InboxError } from "../../src/contract/errors.ts";
import { connect } from "../../src/surfaces/client/client.ts";
import { run, start } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type Ask, hubHere, served } from "../support/hub.ts";
import { refusal } from "../support/refusal.ts";
import { shellProfile } from "../support/scene.ts";
import { freePort } from "../support/servers.ts";
import { until } from "../support/until.ts";

const untilWaiting = (to: Ask, count = 1) =>
  until("as many as expected wait at the hub", async () =>
    (await to("GET /metrics")).text.includes(`restante_waiters ${count}\n`),
  );

describe("a hub that goes away and comes back", () => {
  const mail = (to: string) => (ask: Ask) =>
    ask("POST /terminals/:to/inbox/messages".replace(":to", to), { sender_id: "boss", message: "hello" });
  interface Waiting {
    args: string[];
    cause: (ask: Ask) => Promise<unknown>;
    answer: string;
    /** It starts from now on: its first request, which asks where that is, does not wait. */
    asksFirst?: string;
  }
  const work = (ask: Ask) => ask("POST /api/threads", { from: "boss", to: "w", subject: "hello" });
  const waits: Record<string, Waiting> = {
    receive: { args: ["receive", "--agent", "w"], cause: mail("w"), answer: "hello" },
    gather: { args: ["gather", "--agent", "w", "--from", "boss"], cause: mail("w"), answer: "hello" },
    "msg wait": {
      args: ["msg", "wait", "builds"],
      cause: (ask) => ask("POST /api/messages", { channel: "builds", sender: "boss", content: "hello" }),
      answer: "hello",
    },
    claim: { args: ["claim", "--agent", "w", "--wait"], cause: work, answer: "hello" },
    "claim --done": {
      args: ["claim", "--agent", "x", "--done", "thr_1", "--summary", "made", "--wait"],
      cause: (ask) => ask("POST /api/threads", { from: "boss", to: "x", subject: "hello" }),
      answer: "hello",
    },
    "wait-reply": {
      args: ["wait-reply", "thr_1", "--agent", "lead"],
      cause: (ask) => ask("POST /api/threads/thr_1/reply", { from: "x", body: "hello" }),
      answer: "hello",
    },
    watch: { args: ["watch"], cause: mail("w"), answer: "message.sent", asksFirst: "events.watch" },
  };

  for (const [name, { args, cause, answer, asksFirst }] of Object.entries(waits))
    test.each(["SIGTERM", "SIGKILL"] as const)(
      `[W1] [G4] after %s, at its very beginning, ${name} continues to wait there`,
      async (signal) => {
        using folder = temporaryFolder();
        const at = [join(folder.path, "coord.db"), "--port", String(freePort())] as const;
        await using first = await served(...at);
        await first.ask("POST /api/threads", { from: "lead", to: "x", subject: "s" });
        await first.ask("POST /api/threads/thr_1/claim", { agent: "x" });
        await first.ask("POST /api/mailbox/w/check", {}); // known: being seen for the first time is an event
        const waiting = run([...args, "--db", first.url, "--json"]);
        if (asksFirst !== undefined)
          await until("it knows where it begins", async () =>
            (await first.ask("GET /metrics")).text.includes(`operation="${asksFirst}"`),
          );
        await untilWaiting(first.ask);
        first.kill(signal);
        await first.exited;
        // One that gives up does so at once, or within the second in which a result is sent again.
        const within = Bun.sleep(1500).then(() => "waits");
        expect(await Promise.race([waiting.then(() => "gave up"), within])).toBe("waits");
        await using second = await served(...at);
        await untilWaiting(second.ask);
        await cause(second.ask);
        const { code, stdout, stderr } = await waiting;
        expect([code, stderr]).toEqual([0, ""]);
        expect(stdout).toContain(answer);
      },
    );

  /** A receive at a hub that goes away while it waits, and after so many milliseconds; what it is refused with. */
  async function refusedAfter(ms: number, timeoutSeconds?: number): Promise<InboxError> {
    await using hub = await served();
    let asked = 0;
    const client = connect(hub.url, {
      fetch: (to, init) => {
        asked++;
        return fetch(to, init);
      },
    });
    const waiting = refusal(client.call("mailbox.receive", { agent: "w", timeoutSeconds }));
    await untilWaiting(hub.ask);
    hub.kill("SIGTERM");
    await hub.exited;
    // From when it has looked twice in vain it counts how long nobody was there.
    const before = asked;
    await until("it has looked for the hub", () => asked >= before + 2);
    const clock = performance.now.bind(performance);
    const later = spyOn(performance, "now").mockImplementation(() => clock() + ms);
    try {
      return await waiting;
    } finally {
      later.mockRestore();
    }
  }

  test("[G4] [W3] if its time is over meanwhile the error is about the hub, not an empty answer", async () => {
    const error = await refusedAfter(60_000, 60);
    expect(error).toMatchObject({ code: "storage", message: expect.stringContaining("cannot be reached") });
  });

  test("[G4] a wait without an end does not outlive a hub that is gone for good", async () => {
    const error = await refusedAfter(5 * 60_000);
    expect(error).toMatchObject({ code: "storage", details: { unreachable: true } });
  });

  /** What it has said so far. */
  function heard(from: ReadableStream<Uint8Array>) {
    const all = { text: "", end: Promise.resolve() };
    all.end = (async () => {
      for await (const piece of from) all.text += new TextDecoder().decode(piece);
    })();
    return all;
  }

  test("[G4.3] watch --follow says each time that its hub is gone, and goes on where it was", async () => {
    using folder = temporaryFolder();
    const at = [join(folder.path, "coord.db"), "--port", String(freePort())] as const;
    const line = (url: string) => `the hub at ${url} does not answer; waiting for it\n`;
    let following: ReturnType<typeof start> | undefined;
    let [said, events] = [{ text: "" }, { text: "" }];
    for (const time of [1, 2]) {
      await using hub = await served(...at);
      await mail(`w${time}`)(hub.ask);
      following ??= start(["watch", "--follow", "--after-event", "0", "--db", hub.url]);
      if (time === 1) [said, events] = [heard(following.stderr), heard(following.stdout)];
      await until("it has printed the event", () => events.text.includes(`w${time}`));
      hub.kill("SIGKILL");
      await hub.exited;
      await until("it has said so", () => said.text === line(hub.url).repeat(time));
    }
    following!.kill("SIGTERM");
    await following!.exited;
  });

  test("[G4.3] a command that waits says once that its hub is gone, and still gets its answer", async () => {
    using folder = temporaryFolder();
    const at = [join(folder.path, "coord.db"), "--port", String(freePort())] as const;
    await using first = await served(...at);
    const waiting = start(["receive", "--agent", "w", "--db", first.url]);
    const said = heard(waiting.stderr);
    await untilWaiting(first.ask);
    first.kill("SIGTERM");
    await first.exited;
    const line = `the hub at ${first.url} does not answer; waiting for it\n`;
    await until("it has said so", () => said.text.includes(line));
    await using second = await served(...at);
    await untilWaiting(second.ask);
    await mail("w")(second.ask);
    expect(await waiting.exited).toBe(0);
    await said.end;
    expect(said.text).toBe(line);
  });

  test("[G4.2] a wait whose name cannot be looked up has not begun, however long that takes", async () => {
    const client = connect("http://nowhere.invalid", {
      fetch: async () => {
        await Bun.sleep(600);
        throw Object.assign(new TypeError("not found"), { code: "ENOTFOUND" });
      },
    });
    const error = await refusal(client.call("mailbox.receive", { agent: "w" }));
    expect(error).toMatchObject({ code: "storage", details: { sent: false } });
  });

  test("[G4] a wait that starts without a hub fails at once", async () => {
    // A port no hub is given by chance.
    const error = await refusal(connect("http://127.0.0.1:9").call("mailbox.receive", { agent: "w" }));
    expect(error).toMatchObject({ code: "storage", message: expect.stringContaining("cannot be reached") });
  });
});

describe("a wait over many requests", () => {
  /** As if a request could wait only a tenth of a second. */
  const hasty = (url: string) => {
    const asked: { path: string; body: Record<string, unknown> }[] = [];
    const client = connect(url, {
      fetch: (to, init) => {
        const body = init.body === undefined ? {} : JSON.parse(String(init.body));
        asked.push({ path: new URL(to).pathname, body });
        if (body.timeoutSeconds === undefined) return fetch(to, init);
        const timeoutSeconds = Math.min(0.1, body.timeoutSeconds);
        return fetch(to, { ...init, body: JSON.stringify({ ...body, timeoutSeconds }) });
      },
    });
    return { client, asked };
  };

  test("[Q11] [W3] a handoff starts one sub-agent, and waits for it to its end", async () => {
    using folder = temporaryFolder();
    await Bun.write(join(folder.path, ".agents/agents.toml"), shellProfile);
    const db = join(folder.path, ".agents/coord.db");
    await using hub = await served(db);
    const { client, asked } = hasty(hub.url);
    const go = join(folder.path, "go");
    const message = `until [ -e ${go} ]; do sleep 0.02; done; echo done`;
    const waiting = client.call("tasks.handoff", { agent: "main", cwd: folder.path, message });
    await until(
      "the handoff has asked more than three times",
      () => asked.filter(({ path }) => path === "/api/tasks/handoff").length > 3,
    );
    await Bun.write(go, "");
    expect(await waiting).toMatchObject({ success: true, status: "finished", message: "done" });
    const [first, ...rest] = asked.filter(({ path }) => path === "/api/tasks/handoff");
    expect(first!.body.message).toBe(message);
    for (const { body } of rest)
      expect(Object.keys(body).sort()).toEqual(["agent", "terminalId", "timeoutSeconds"]);
    expect((await hub.ask("GET /api/tasks?all=true")).json).toMatchObject({
      queued: [],
      running: [],
      finished: [{}],
    });
    expect((await hub.ask("GET /api/mailbox/main")).json.messages).toEqual([]);
  });

  test("[B5] [W3] a gather collects the answers when all have arrived, and nothing before", async () => {
    await using hub = await hubHere();
    const { client, asked } = hasty(hub.url);
    const send = (from: string) =>
      hub.ask("POST /terminals/lead/inbox/messages", { sender_id: from, message: from });
    const waiting = client.call("mailbox.gather", { agent: "lead", from: ["a", "b"] });
    await send("a");
    const gathers = () => asked.filter(({ path }) => path === "/api/mailbox/lead/gather").length;
    const before = gathers();
    await until("gather has asked twice more", () => gathers() > before + 2);
    await send("b");
    const { messages, missing } = await waiting;
    expect(messages.map(({ message }) => message)).toEqual(["a", "b"]);
    expect(missing).toEqual([]);
  });
});
