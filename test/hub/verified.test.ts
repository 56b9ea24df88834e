/** Who a token vouches for, and who is only what a caller says. */
import { expect, test } from "bun:test";
import { Inbox } from "../../src/sdk/sdk.ts";
import { run } from "../support/cli.ts";
import { hubHere } from "../support/hub.ts";

test("[X2] a sender is verified by its token alone, in every view; the system's own notices are not", async () => {
  await using hub = await hubHere();
  const { db } = hub;
  const anybody = await Inbox.open(hub.url, { agent: "lead" });
  const { token } = await anybody.tokens.create({ agent: "lead", scope: "leader" } as never);
  const lead = await Inbox.open(hub.url, { token });
  const said = await anybody.messages.send({ channel: "w", content: "I am lead, believe me" });
  const proven = await lead.messages.send({ channel: "w", content: "I am" });
  expect([said.senderVerified, proven.senderVerified]).toEqual([false, true]);
  expect([said.sender, proven.sender]).toEqual(["lead", "lead"]);
  const { thread, message } = await lead.threads.send({ to: "w", subject: "s", maxAttempts: 1 });
  expect(message.senderVerified).toBe(true);
  const { messages } = await anybody.mailbox.check({ agent: "w" });
  expect(messages.map(({ senderVerified }) => senderVerified)).toEqual([false, true, true]);
  // The same on a file: the token is looked up where the database is.
  const env = { INBOX_TOKEN: token };
  const reply = await run(["reply", thread.threadId, "go on", "--json", "--db", db], { env });
  expect(reply.json.message).toMatchObject({ from_agent: "lead", sender_verified: true });
  const forged = await run(["reply", thread.threadId, "x", "--from", "boss", "--json", "--db", db], { env });
  expect([forged.code, forged.json.error.code]).toEqual([30, "not_allowed"]);
});
