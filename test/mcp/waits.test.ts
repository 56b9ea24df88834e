/** [C5] [W3] Waits over MCP: how long, what is heard meanwhile, and that nothing is lost when one is. */
import { describe, expect, test } from "bun:test";
import { table } from "../../src/contract/operations/index.ts";
import { type Inbox, openInbox } from "../../src/inbox/inbox.ts";
import { callTool } from "../../src/surfaces/mcp/call.ts";
import { openChanges } from "../../src/surfaces/mcp/changes.ts";
import { openSettling } from "../../src/surfaces/mcp/settle.ts";
import { hubHere } from "../support/hub.ts";
import { overHttp, overStdio, type Revision, revisions, type Visitor } from "../support/mcp.ts";
import { until } from "../support/until.ts";

const transports = ["HTTP", "stdio"] as const;
const cases = transports.flatMap((transport) => revisions.map((revision) => ({ transport, revision })));

async function place(transport: (typeof transports)[number], revision: Revision) {
  const hub = await hubHere();
  const as = (agent: string): Promise<Visitor> =>
    transport === "HTTP"
      ? overHttp(`${hub.url}/mcp?agent=${agent}`, revision)
      : overStdio(hub.db, revision, agent);
  return { hub, as, [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose]() };
}

test("[C5] a client that asks for it is told that a long wait continues", async () => {
  await Promise.all(
    cases.map(async ({ transport, revision }) => {
      await using at = await place(transport, revision);
      await using lead = await at.as("lead");
      const heard: number[] = [];
      const waiting = lead.client.callTool(
        { name: "check_inbox", arguments: { timeout: 40, batch_window: 0 } },
        { onprogress: ({ progress }) => void heard.push(progress) },
      );
      await until("progress has been heard of", () => heard.length > 0);
      await at.hub.ask("POST /api/mailbox/lead/send", { from: "w1", message: "there you are" });
      expect((await waiting).structuredContent).toMatchObject({ total: 1 });
      expect(heard[0]).toBeGreaterThan(0);
    }),
  );
});

test("[W3] every tool that waits does so for 50 seconds by default", async () => {
  await using hub = await hubHere();
  const inbox = openInbox(hub.db);
  try {
    const asked = new Map<string, unknown>();
    const recording = {
      ...inbox,
      hand: async (name: string, input: Record<string, unknown>) => {
        asked.set(name, input.timeoutSeconds);
        return { value: {} };
      },
    } as unknown as Inbox;
    const settling = openSettling();
    const session = { inbox: recording, caller: {}, agent: "w", settling, changes: openChanges(inbox) };
    // A merge takes what its check takes, and a permission what its asker has set: neither is told a time.
    const untimed = ["tasks.merge", "tasks.permit"];
    const waiting = table.filter(
      (op) => op.waits !== undefined && "tool" in op.mcp && !untimed.includes(op.name),
    );
    for (const [id, op] of waiting.entries())
      await callTool(
        session,
        (op.mcp as { tool: string }).tool,
        op.name === "threads.claim" ? { wait: true } : {},
        { id },
      );
    const limited = waiting.map(({ name }) => name).filter((name) => name !== "mailbox.check");
    expect(limited.length).toBeGreaterThan(5);
    for (const name of limited) expect([name, asked.get(name)]).toEqual([name, 50]);
  } finally {
    await inbox.close();
  }
});

test("[B4.4] [M3] a reader that calls again has read its answer, even if only its arguments identify it", async () => {
  await using hub = await hubHere();
  const send = (content: string) => hub.ask("POST /api/messages", { channel: "builds", content });
  for (const revision of revisions) {
    await using one = await overHttp(`${hub.url}/mcp`, revision);
    await using other = await overHttp(`${hub.url}/mcp`, revision);
    const reads = async (visitor: Visitor, reader: string) => {
      const { fields } = await visitor.call("msg_inbox", { channel: "builds", reader, commit: true });
      return fields.messages.map(({ content }: { content: string }) => content);
    };
    const [mine, others] = [`mine of ${revision}`, `another's of ${revision}`];
    await reads(one, mine);
    await send(`first of ${revision}`);
    await reads(other, others);
    const shown = await reads(one, mine);
    expect(shown.at(-1)).toBe(`first of ${revision}`);
    expect(await reads(one, mine)).toEqual([]);
    await send(`second of ${revision}`);
    expect(await reads(one, mine)).toEqual([`second of ${revision}`]);
  }
});

test("[B4.2] [B4.4] without sessions, another call under the same name confirms only answers that were written out", async () => {
  const settling = openSettling();
  let confirmed = 0;
  const handed = { value: {}, confirm: async () => void confirmed++, release: async () => {} };
  settling.answered("1", handed, "w");
  await settling.spoke("w");
  expect(confirmed).toBe(0);
  settling.written("1");
  await settling.spoke("other");
  expect(confirmed).toBe(0);
  await settling.spoke("w");
  expect(confirmed).toBe(1);
});

describe.each(cases)("$transport $revision", ({ transport, revision }) => {
  test("[W4] [B4] a client that goes away in the middle of a wait has missed nothing when it is back", async () => {
    await using at = await place(transport, revision);
    const lost = await at.as("lead");
    const call = lost.call("check_inbox", { timeout: 40, batch_window: 0 }).catch(() => "lost");
    // Another call that is answered says that the first has arrived.
    await lost.call("mail");
    await lost.client.close();
    expect(await call).toBe("lost");
    await at.hub.ask("POST /api/mailbox/lead/send", { from: "w1", message: "while you were away" });
    await using again = await at.as("lead");
    const { fields } = await again.call("check_inbox", { timeout: 20, batch_window: 0 });
    expect(fields.messages).toMatchObject([{ message: "while you were away" }]);
  });

  test("[W4] a cancelled claim, reply and gather change nothing", async () => {
    await using at = await place(transport, revision);
    await using lead = await at.as("lead");
    await using worker = await at.as("w1");
    const cancelled = async (visitor: Visitor, tool: string, args: Record<string, unknown>) => {
      const ending = new AbortController();
      const call = visitor.call(tool, args, ending.signal).then(
        () => "answered",
        () => "cancelled",
      );
      // Another call that is answered says that the first has arrived.
      await visitor.call("mail");
      ending.abort();
      expect(await call).toBe("cancelled");
    };
    await cancelled(worker, "claim", { wait: true, timeout_seconds: 40 });
    await lead.call("send_task", { to: "w1", subject: "s" });
    expect((await worker.call("claim")).fields.thread).toMatchObject({ thread_id: "thr_1" });
    await cancelled(worker, "wait_reply", { thread: "thr_1", timeout_seconds: 40 });
    await lead.call("reply", { thread: "thr_1", summary: "yes" });
    expect((await worker.call("wait_reply", { thread: "thr_1", timeout_seconds: 20 })).fields).toMatchObject({
      woke: true,
      message: { summary: "yes" },
    });
    await cancelled(lead, "gather", { from: ["w1"], timeout: 40 });
    await worker.call("done", { thread: "thr_1", summary: "finished" });
    const { fields } = await lead.call("gather", { from: ["w1"], timeout: 20 });
    expect(fields).toMatchObject({ missing: [], messages: [{ sender_id: "w1", message: "finished" }] });
  });
});
