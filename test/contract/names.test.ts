import { describe, expect, test } from "bun:test";
import { shownName } from "../../src/contract/names.ts";
import { table } from "../../src/contract/operations/index.ts";
import type { Engine } from "../../src/engines/engine.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { run } from "../../src/sql/procedure.ts";
import { sql } from "../../src/sql/sql.ts";
import corpus from "../corpora/names.json";
import { byHand } from "../support/by-hand.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const { refused, accepted } = corpus;
const oneOf = refused[0]!.name;

/** Every way a name can come into being. */
const ways: Record<string, (inbox: Inbox, name: string) => Promise<unknown>> = {
  "a sender": (inbox, name) => inbox.call("mailbox.send", { from: name, to: "w", message: "x" }),
  "a recipient": (inbox, name) => inbox.call("mailbox.send", { from: "w", to: name, message: "x" }),
  "a topic": (inbox, name) => inbox.call("messages.send", { channel: name, sender: "w", content: "x" }),
  "a thread's creator": (inbox, name) => inbox.call("threads.send", { from: name, to: "w", subject: "s" }),
  "a thread's assignee": (inbox, name) => inbox.call("threads.send", { from: "w", to: name, subject: "s" }),
  "a mailbox's owner": (inbox, name) => inbox.call("mailbox.check", { agent: name }),
  "a pool": (inbox, name) => inbox.call("pools.join", { agent: "w", pool: name }),
  "a pool's member": (inbox, name) => inbox.call("pools.join", { agent: name, pool: "builders" }),
  "a task": (inbox, name) => inbox.call("tasks.push", { agent: "w", name, prompt: "x", profile: "claude" }),
  "a task's parent": (inbox, name) =>
    inbox.call("tasks.push", { agent: name, prompt: "x", profile: "claude" }),
  "a task's worker": (inbox, name) => inbox.call("tasks.push", { agent: "w", prompt: "x", worker: name }),
  "a workspace's agent": (inbox, name) =>
    inbox.call("workspaces.add", { path: "/tmp", label: "x", agent: name }),
  "a token's owner": (inbox, name) => inbox.call("tokens.create", { agent: name, scope: "worker" }),
};

/** Every way to wait under a name, or for one: a wait that is not refused fails the test by its answer. */
const timeoutSeconds = 2;
const waits: Record<string, (inbox: Inbox, name: string) => Promise<unknown>> = {
  claim: (inbox, name) => inbox.call("threads.claim", { agent: name, wait: true, timeoutSeconds }),
  "wait-reply": (inbox, name) =>
    inbox.call("threads.waitReply", { agent: name, thread: "thr_1", timeoutSeconds }),
  receive: (inbox, name) => inbox.call("mailbox.receive", { agent: name, timeoutSeconds }),
  "receive of a sender's mail": (inbox, name) =>
    inbox.call("mailbox.receive", { agent: "w", from: name, timeoutSeconds }),
  wait: (inbox, name) => inbox.call("mailbox.wait", { agent: name, timeoutSeconds }),
  "wait for a sender's mail": (inbox, name) =>
    inbox.call("mailbox.wait", { agent: "w", from: name, timeoutSeconds }),
  gather: (inbox, name) => inbox.call("mailbox.gather", { agent: name, from: ["w"], timeoutSeconds }),
  "gather from agents": (inbox, name) =>
    inbox.call("mailbox.gather", { agent: "w", from: ["v", name], timeoutSeconds }),
  "ask --wait": (inbox, name) =>
    inbox.call("mailbox.decide", { from: name, to: ["w"], question: "?", timeoutSeconds }),
  "ask --wait of an agent": (inbox, name) =>
    inbox.call("mailbox.decide", { from: "w", to: [name], question: "?", timeoutSeconds }),
  watch: (inbox, name) => inbox.call("events.watch", { agent: name, timeoutSeconds }),
  "watch --follow": (inbox, name) => inbox.follow({ agent: name, timeoutSeconds }).next(),
  "msg wait": (inbox, name) => inbox.call("messages.wait", { channel: name, timeoutSeconds }),
  "msg wait as a reader": (inbox, name) =>
    inbox.call("messages.wait", { channel: "c", reader: name, commit: true, timeoutSeconds }),
};

/** As a database has it that was written before the rule. */
const rename = (engine: Engine, from: string, to: string) =>
  engine.write(function* () {
    yield* run(sql`update agents set name = ${to} where name = ${from}`);
    yield* run(sql`update messages set from_agent = ${to} where from_agent = ${from}`);
    yield* run(sql`update messages set to_agent = ${to} where to_agent = ${from}`);
    yield* run(sql`update threads set assigned_to = ${to} where assigned_to = ${from}`);
  });

/** They wait for no name, or end at once where the name of their caller is refused: `push` does it for `handoff`. */
const withoutNames = ["check", "log", "handoff", "merge", "permit"];

describe.each(engines)("$name", (engine) => {
  test("[X11] a name with characters that hide or pass for others does not come into being", async () => {
    await using bench = await engine.start();
    const { inbox } = bench;
    const got = [];
    for (const { name } of refused) {
      const { code, message } = await refusal(
        inbox.call("mailbox.send", { from: name, to: "w", message: "x" }),
      );
      got.push([shownName(name), code, message]);
    }
    expect(got).toEqual(
      refused.map(({ name, why }) => [shownName(name), "invalid_input", expect.stringContaining(why)]),
    );
    expect((await inbox.call("agents.list", {})).agents).toEqual([]);
  });

  test("[X11] a name that was refused is refused again, also as the sender to a known agent", async () => {
    await using bench = await engine.start();
    const { inbox } = bench;
    for (const name of ["w", "l"])
      await inbox.call("messages.send", { channel: "w", sender: name, content: "I am here" });
    for (const { name } of [...refused.slice(0, 3), ...refused.slice(0, 3)]) {
      const calls = [
        inbox.call("messages.send", { channel: "w", sender: name, content: "x" }),
        inbox.call("threads.send", { from: name, to: "w", subject: "x" }),
        inbox.call("mailbox.send", { from: "w", to: name, message: "x", strict: true }),
      ];
      for (const call of calls) expect((await refusal(call)).code).not.toBe("internal");
    }
    expect((await inbox.call("messages.inbox", { channel: "w" })).count).toBe(2);
  });

  test("[X11] the hint for a name that looks like a reserved one names that one", async () => {
    await using bench = await engine.start();
    const { inbox } = bench;
    const { hint } = await refusal(inbox.call("mailbox.send", { from: "User", to: "w", message: "x" }));
    expect(hint).toBe('write "user" if that is meant, or choose another name');
  });

  test("[X11] names in any script that is written as usual are welcome", async () => {
    await using bench = await engine.start();
    for (const from of accepted) {
      const { message } = await bench.inbox.call("mailbox.send", { from, to: from, message: "x" });
      expect(message.fromAgent).toBe(from);
    }
  });

  test.each(Object.keys(ways))("[X11] %s is a name as any other", async (way) => {
    await using bench = await engine.start();
    const { inbox } = bench;
    const error = await refusal(ways[way]!(inbox, oneOf) as Promise<unknown>);
    expect(error).toMatchObject({
      code: "invalid_input",
      message: 'the name "us\\u{200B}er" contains U+200B, which is invisible',
    });
  });

  test("[X11.8] every operation that waits for a name is tried", () => {
    const tried = Object.keys(waits).map((way) => way.replace(/ (of|for|from|as|--).*/, ""));
    const waiting = table.filter(({ kind }) => kind === "wait").map(({ command }) => command);
    expect(waiting.toSorted()).toEqual([...new Set([...tried, ...withoutNames])].toSorted());
  });

  test.each(Object.keys(waits))(
    "[X11.8] %s is refused at once for a name that nobody can have",
    async (way) => {
      await using bench = await engine.start();
      const { inbox } = bench;
      await inbox.call("threads.send", { from: "lead", to: "w", subject: "s" });
      const error = await refusal(waits[way]!(inbox, "User") as Promise<unknown>);
      expect(error).toMatchObject({
        code: "invalid_input",
        message: 'the name "User" looks like "user"',
      });
    },
  );

  test("[X11] names from before the rule can still be read, written to and acted as", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await inbox.call("mailbox.send", { from: "old", to: "older", message: "hello" });
    await inbox.call("threads.send", { from: "old", to: "older", subject: "s" });
    await rename(bench.engine, "old", oneOf);
    await rename(bench.engine, "older", "m\u0430in");
    const { messages } = await inbox.call("mailbox.check", { agent: "m\u0430in" });
    expect(messages.map(({ senderId }) => senderId)).toEqual([oneOf, oneOf]);
    const answer = await inbox.call("mailbox.send", { from: "m\u0430in", to: oneOf, message: "back" });
    expect(answer.recipient).toEqual({ name: oneOf, known: true, similar: [] });
    expect((await inbox.call("mailbox.check", { agent: oneOf })).messages).toMatchObject([
      { message: "back" },
    ]);
    const { agents } = await inbox.call("agents.list", {});
    expect(agents.map(({ name }) => name)).toContain(oneOf);
  });

  test("[X11] [Q1] a name with a token or a workspace cannot be a sub-agent's, however inactive its owner is", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    await inbox.call("tokens.create", { agent: "reviewer", scope: "worker" });
    await inbox.call("workspaces.add", { path: "/tmp", label: "x", agent: "writer" });
    bench.pass(3600);
    for (const name of ["reviewer", "Reviewer", "writer", "wr\u00edter"])
      expect((await refusal(push(name, { agent: "lead" }))).code).toBe("conflict");
    expect(await refusal(push("reviewer", { agent: "lead" }))).toMatchObject({
      message: 'the name "reviewer" is taken: "reviewer" has a token',
    });
    const { tokens } = await inbox.call("tokens.list", {});
    await inbox.call("tokens.revoke", { id: tokens[0]!.tokenId });
    await push("reviewer", { agent: "lead" });
  });

  test("[X11] [T12] a pool takes no agent's mail: it cannot have the name of the person or a reserved name", async () => {
    await using bench = await engine.start();
    const { inbox } = bench;
    await inbox.call("tokens.create", { agent: "reviewer", scope: "worker" });
    await inbox.call("threads.send", { from: "ann", to: "w", subject: "s" });
    for (const pool of ["user", "main", "reviewer", "REVIEWER", "ann"])
      expect((await refusal(inbox.call("pools.join", { agent: "eve", pool }))).code).toBe("conflict");
    await inbox.call("pools.join", { agent: "eve", pool: "builders" });
    const task = { agent: "lead", name: "builders", prompt: "x", profile: "claude" };
    expect((await refusal(inbox.call("tasks.push", task))).code).toBe("conflict");
  });
});
