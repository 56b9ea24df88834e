/** Who a token vouches for, and who is only what a caller says. */
import { expect, test } from "bun:test";
import { Inbox } from "../../src/sdk/sdk.ts";
import { run } from "../support/cli.ts";
import { hubHere } from "../support/hub.ts";
import { overHttp, revisions } from "../support/mcp.ts";

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

test("[A5] [A6] for the person answers a token that may, by its own name and counted once; a worker's and a model's main do not", async () => {
  await using hub = await hubHere();
  const { ask } = hub;
  const token = async (agent: string, scope: string) =>
    (await ask("POST /api/tokens", { agent, scope })).json.token as string;
  const ops = hub.as(await token("ops", "user"));
  const worker = hub.as(await token("w", "worker"));
  const decide = { from: "ci", to: ["user", "ops"], question: "Go?", timeoutSeconds: 0 };
  const question = async (more = {}) => {
    const { correlationId } = (await ask("POST /api/mailbox/decide", { ...decide, ...more })).json;
    const look = async () =>
      (await ask("POST /api/mailbox/decide", { from: "ci", correlationId, timeoutSeconds: 0 })).json;
    return { ...(await ask("GET /api/inbox/history")).json.entries[0], look };
  };
  const first = await question();
  const number = Number(first.messageId.slice("msg_".length));
  const refused = [
    await worker(`POST /api/inbox/${first.id}/reply`, { choice: "no" }),
    await worker(`POST /api/messages/${number}/answer`, { choice: "no" }),
    await worker(`POST /api/messages/${first.id}/answer`, { choice: "no" }),
    await ask(`POST /api/inbox/${first.id}/reply`, { choice: "no", from: "ada" }),
  ];
  expect(refused.map(({ status, json }) => [status, json.error.code])).toEqual(
    refused.map(() => [403, "not_allowed"]),
  );
  await using model = await overHttp(`${hub.url}/mcp`, revisions[0]);
  const byModel = await model.call("answer", { question: number, choice: "no" });
  expect(byModel.text).toContain(`was asked of "user": "main" cannot answer for the person`);
  expect(await first.look()).toMatchObject({ decided: false, answers: [] });
  expect((await ops(`POST /api/inbox/${first.id}/reply`, { choice: "no" })).status).toBe(201);
  const given = { agent: "ops", choice: "no", verified: true };
  expect(await first.look()).toMatchObject({ choice: "no", answers: [given] });
  const second = await question({ need: 2 });
  expect((await ops(`POST /api/messages/${second.id}/answer`, { choice: "yes" })).status).toBe(201);
  const mail = (await ops("GET /api/mailbox/ops")).json.messages;
  await ops(`POST /api/messages/${mail.at(-1).id}/answer`, { choice: "yes" });
  expect((await second.look()).decided).toBe(false);
  // Whoever else answers for the person is still one of those who were asked.
  const third = await question({ to: ["user", "bob"], need: 2 });
  for (const agent of ["alice", "carol"]) {
    const as = hub.as(await token(agent, "user"));
    const given = await as(`POST /api/inbox/${third.id}/reply`, { choice: "yes", change: true });
    expect(given.status).toBe(201);
  }
  expect((await third.look()).decided).toBe(false);
});
