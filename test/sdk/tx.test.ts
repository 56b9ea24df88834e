/** The client of the channel protocol's document, called as it is there, from the file that every runtime gets. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import type { TxClient as Client } from "../../src/sdk/tx.ts";
import { root } from "../support/cli.ts";
import { hubHere } from "../support/hub.ts";

const { TxClient } = (await import(join(root, "dist/tx.js"))) as { TxClient: typeof Client };

test("[C2] TxClient of restante/tx takes the calls of its document and answers as it says", async () => {
  await using hub = await hubHere();
  const tx = new TxClient({ apiUrl: hub.url });
  const message = await tx.messages.send({
    channel: "agent-1",
    content: "Task tx-abc123 is ready for review",
    sender: "orchestrator",
    ttlSeconds: 3600,
  });
  expect(message).toMatchObject({ id: 1, channel: "agent-1", sender: "orchestrator", status: "pending" });
  expect((await tx.messages.send({ channel: "agent-1", content: "second" })).sender).toBe("api");
  const messages = await tx.messages.inbox("agent-1", { limit: 10, afterId: 1 });
  expect(messages.map(({ content }) => content)).toEqual(["second"]);
  expect(await tx.messages.pending("agent-1")).toBe(2);
  expect(await tx.messages.ack(1)).toMatchObject({ id: 1, status: "acked" });
  const { channel, ackedCount } = await tx.messages.ackAll("agent-1");
  expect([channel, ackedCount]).toEqual(["agent-1", 1]);
  const { expired, acked } = await tx.messages.gc({ ackedOlderThanHours: 24 });
  expect([expired, acked]).toEqual([0, 0]);
});

test("[C2] the package names it", async () => {
  const { exports } = await Bun.file(join(root, "package.json")).json();
  expect(exports["./tx"]).toEqual({ types: "./dist/types/sdk/tx.d.ts", default: "./dist/tx.js" });
});
