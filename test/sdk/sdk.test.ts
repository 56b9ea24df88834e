/** The bus from a program: embedded and remote behind one interface. */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Inbox, InboxError } from "../../src/sdk/sdk.ts";
import { connect } from "../../src/surfaces/client/client.ts";
import { temporaryFolder } from "../support/folder.ts";
import { hubHere } from "../support/hub.ts";
import { runningWith, usualProfiles } from "../support/team.ts";
import { until } from "../support/until.ts";

interface Opened {
  inbox: Inbox;
  [Symbol.asyncDispose](): Promise<void>;
}

async function embedded(): Promise<Opened> {
  const folder = temporaryFolder();
  writeFileSync(join(folder.path, "agents.toml"), usualProfiles);
  const inbox = await Inbox.open(join(folder.path, "coord.db"), { create: true, agent: "lead" });
  return {
    inbox,
    [Symbol.asyncDispose]: async () => {
      await inbox.close();
      await until("nothing runs in the folder any more", () => !runningWith(folder.path).length);
      folder[Symbol.dispose]();
    },
  };
}

async function remote(): Promise<Opened> {
  const folder = temporaryFolder();
  writeFileSync(join(folder.path, "agents.toml"), usualProfiles);
  const hub = await hubHere({ db: join(folder.path, "coord.db") });
  return {
    inbox: await Inbox.open(hub.url, { agent: "lead" }),
    [Symbol.asyncDispose]: async () => {
      await hub[Symbol.asyncDispose]();
      await until("nothing runs in the folder any more", () => !runningWith(folder.path).length);
      folder[Symbol.dispose]();
    },
  };
}

describe.each([
  { name: "embedded", open: embedded },
  { name: "remote", open: remote },
])("$name", ({ open }) => {
  test("[C6] messages as the channel protocol calls them", async () => {
    await using opened = await open();
    const { messages } = opened.inbox;
    const sent = await messages.send({
      channel: "agent-1",
      content: "ready",
      sender: "orchestrator",
      ttlSeconds: 3600,
    });
    expect(sent).toMatchObject({ id: 1, channel: "agent-1", sender: "orchestrator", status: "pending" });
    expect((await messages.send({ channel: "agent-1", content: "mine" })).sender).toBe("lead");
    expect(
      (await messages.inbox("agent-1", { limit: 10, afterId: 1 })).map(({ content }) => content),
    ).toEqual(["mine"]);
    expect(await messages.pending("agent-1")).toBe(2);
    expect(await messages.ack(1)).toMatchObject({ id: 1, status: "acked", already: false });
    expect(await messages.ackAll("agent-1")).toEqual({ channel: "agent-1", ackedCount: 1 });
    expect(await messages.gc({ ackedOlderThanHours: 24 })).toEqual({ expired: 0, acked: 0 });
    expect(await messages.gc()).toEqual({ expired: 0, acked: 0 });
  });

  test("[C6] [Q11] tasks: a program leads sub-agents as a command line does", async () => {
    await using opened = await open();
    const { tasks, mailbox } = opened.inbox;
    const { task } = await tasks.push({ name: "a", prompt: "echo one", priority: "high" });
    expect(task).toMatchObject({ name: "a", parent: "lead", status: "queued" });
    expect(await tasks.run({ count: 1 })).toMatchObject({ released: ["a"] });
    const { terminalId } = await tasks.assign({ message: "echo two" });
    const got = await mailbox.gather({ from: ["a", terminalId] });
    expect(got.messages.map(({ message }) => message).toSorted()).toEqual(["one", "two"]);
    expect(await tasks.handoff({ message: "echo three" })).toMatchObject({ success: true, message: "three" });
    const { finished } = await tasks.queue({});
    expect(finished.length).toBe(3);
    const { entries, ended } = await tasks.log({ name: "a" });
    expect([ended, entries.at(-1)]).toMatchObject([true, { kind: "final", text: "one" }]);
    const error = await tasks.push({ name: "lead", prompt: "x" }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "conflict", message: 'the name "lead" is taken: it is your own' });
  });

  test("[C6] threads, mailbox and typed errors with the same codes", async () => {
    await using opened = await open();
    const { threads, mailbox } = opened.inbox;
    const { thread } = await threads.send({ to: "w", subject: "s" });
    expect(thread.createdBy).toBe("lead");
    await threads.claim({ agent: "w", thread: thread.threadId });
    const error = await threads
      .claim({ agent: "x", thread: thread.threadId })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InboxError);
    expect(error).toMatchObject({ code: "lease_conflict", details: { holder: "w" } });
    await threads.done({ agent: "w", thread: thread.threadId, summary: "works" });
    const { messages } = await mailbox.receive({ timeoutSeconds: 5 });
    expect(messages).toMatchObject([{ senderId: "w", message: "works", kind: "result" }]);
  });

  test("[C6] events are an async iterator, and an AbortSignal ends every wait", async () => {
    await using opened = await open();
    const { inbox } = opened;
    await inbox.mailbox.send({ to: "w", message: "one" });
    const seen: string[] = [];
    for await (const event of inbox.events.follow({ afterEvent: 0 })) {
      seen.push(event.eventType);
      if (seen.length === 2) break;
    }
    expect(seen).toEqual(["agent.joined", "message.sent"]);
    const controller = new AbortController();
    const waiting = inbox.mailbox.receive({}, { signal: controller.signal });
    controller.abort(new Error("enough"));
    expect(waiting).rejects.toThrow("enough");
  });

  test("[C6] [M9] a write with the caller's own key is applied once, and the second answer says so", async () => {
    await using opened = await open();
    const { messages } = opened.inbox;
    const key = { idempotencyKey: "k" };
    const first = await messages.send({ channel: "c", content: "x" }, key);
    const again = await messages.send({ channel: "c", content: "x" }, key);
    expect(again).toEqual({ ...first, deduplicated: true } as never);
    expect(await messages.pending("c")).toBe(1);
  });
});

test("[C6] [M9] a write whose answer was lost is sent again by the client, and is stored once", async () => {
  await using hub = await hubHere();
  let calls = 0;
  const client = connect(hub.url, {
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (init.method === "POST" && calls++ === 0) throw new TypeError("the answer was lost");
      return response;
    },
  });
  const sent = await client.call("messages.send", { channel: "c", content: "x", sender: "s" });
  expect(sent).not.toHaveProperty("deduplicated");
  expect((await client.call("messages.pending", { channel: "c" })).count).toBe(1);
  expect(calls).toBe(2);
});

test("[Q11] [W3] handing off through a hub lasts as long as the sub-agent does, over any number of requests", async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, "agents.toml"), usualProfiles);
  await using hub = await hubHere({ db: join(folder.path, "coord.db") });
  const asked: Record<string, unknown>[] = [];
  const client = connect(hub.url, {
    // The longest wait of one request, made short.
    fetch: (url, init) => {
      const { timeoutSeconds, ...fields } = JSON.parse(String(init.body ?? "{}"));
      if (url.endsWith("/handoff")) asked.push(fields);
      const body =
        timeoutSeconds === undefined ? init.body : JSON.stringify({ ...fields, timeoutSeconds: 0.05 });
      return fetch(url, { ...init, body });
    },
  });
  const handed = client.call("tasks.handoff", {
    agent: "lead",
    name: "slow",
    message: `until [ -e ${folder.path}/go ]; do sleep 0.02; done; echo done`,
  });
  await Promise.race([until("the client has asked more than twice", () => asked.length > 2), handed]);
  writeFileSync(join(folder.path, "go"), "");
  const told = await handed;
  expect(told).toMatchObject({ success: true, status: "finished", terminalId: "slow", message: "done" });
  expect(asked[0]).toMatchObject({ name: "slow" });
  expect(asked[1]).toEqual({ agent: "lead", terminalId: "slow" });
  await until("nothing runs in the folder any more", () => !runningWith(folder.path).length);
});

test("[C6] a missing file and an invalid address are refused with an error in words", async () => {
  expect(Inbox.open("/nowhere/coord.db")).rejects.toMatchObject({ code: "not_initialized" });
  const { Inbox: Remote } = await import("../../src/sdk/client.ts");
  expect(Remote.open("/nowhere/coord.db")).rejects.toMatchObject({ code: "invalid_input" });
});
