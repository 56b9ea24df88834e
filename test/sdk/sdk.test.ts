/** The bus from a program: embedded and remote behind one interface. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Inbox, InboxError } from "../../src/sdk.ts";
import { connect } from "../../src/surfaces/client/client.ts";
import { temporaryFolder } from "../support/folder.ts";
import { hubHere } from "../support/hub.ts";

interface Opened {
  inbox: Inbox;
  [Symbol.asyncDispose](): Promise<void>;
}

async function embedded(): Promise<Opened> {
  const folder = temporaryFolder();
  const inbox = await Inbox.open(join(folder.path, "coord.db"), { create: true, agent: "lead" });
  return {
    inbox,
    [Symbol.asyncDispose]: async () => {
      await inbox.close();
      folder[Symbol.dispose]();
    },
  };
}

async function remote(): Promise<Opened> {
  const hub = await hubHere();
  return {
    inbox: await Inbox.open(hub.url, { agent: "lead" }),
    [Symbol.asyncDispose]: hub[Symbol.asyncDispose],
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

  test("[C6] [M9] a write with a key of one's own happens once, and says so the second time", async () => {
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

test("[C6] a file that is not there, and what is no address, are refused in words", async () => {
  expect(Inbox.open("/nowhere/coord.db")).rejects.toMatchObject({ code: "not_initialized" });
  const { Inbox: Remote } = await import("../../src/client.ts");
  expect(Remote.open("/nowhere/coord.db")).rejects.toMatchObject({ code: "invalid_input" });
});
