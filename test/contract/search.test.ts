import { describe, expect, test } from "bun:test";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";
import { searched } from "../support/searched.ts";

const find = async (inbox: Inbox, q: string, more = {}) => (await searched(inbox, { q, ...more })).hits;
const ids = async (inbox: Inbox, q: string, more = {}) => (await find(inbox, q, more)).map(({ id }) => id);

async function push(inbox: Inbox, comments: string, docs: { path: string }[] = []): Promise<string> {
  const { workspace } = await inbox.call("workspaces.add", { path: "/tmp", label: "Macro thesis" });
  await inbox.call("entries.import", {
    entries: [
      {
        id: crypto.randomUUID(),
        ts: Date.now(),
        workspaceId: workspace.workspaceId,
        workspaceLabel: "Macro thesis",
        comments,
        docs,
      },
    ],
  });
  return (await inbox.call("entries.history", { limit: 1 })).entries[0]!.id;
}

describe.each(engines)("$name", ({ start }) => {
  test("[U8] search finds entries, threads and messages by their words, whatever their case and accents", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const entry = await push(inbox, "Drafted the **FOMC** piece about Zürich", [
      { path: "research/yields.md" },
    ]);
    await inbox.call("threads.send", { from: "lead", to: "w", subject: "Write the café menu" });
    await inbox.call("messages.send", {
      channel: "builds",
      sender: "ci",
      content: "Build 451 passed; 東京 ok",
    });
    expect(await ids(inbox, "fomc")).toEqual([entry]);
    expect(await ids(inbox, "ZURICH piece")).toEqual([entry]);
    expect(await ids(inbox, "yields")).toEqual([entry]);
    expect(await ids(inbox, "macro")).toEqual([entry]);
    expect(await ids(inbox, "Cafe", { kinds: ["threads"] })).toEqual(["thr_1"]);
    expect(new Set(await ids(inbox, "cafe"))).toEqual(new Set(["thr_1", "msg_1"]));
    expect(await ids(inbox, "451")).toEqual(["msg_2"]);
    expect(await ids(inbox, "京")).toEqual(["msg_2"]);
    expect(await ids(inbox, "pass bui")).toEqual(["msg_2"]);
    expect(await ids(inbox, "build fomc")).toEqual([]);
    expect(await ids(inbox, "fomc", { kinds: ["threads", "messages"] })).toEqual([]);
  });

  test("[U8] a text that has the word itself comes before all that have only words which begin with it", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const send = (content: string) => inbox.call("messages.send", { channel: "c", sender: "ci", content });
    const padding = "and more of what others say about it ".repeat(20);
    await send(`${padding} test ${padding}`);
    await send("testing tests tested testers");
    await send("testing testing testing");
    expect((await ids(inbox, "test"))[0]).toBe("msg_1");
    expect(await ids(inbox, "test", { limit: 1 })).toEqual(["msg_1"]);
    await send("the tests passed");
    await send(`the testing of it has ${padding} passed`);
    await inbox.call("threads.send", { from: "lead", to: "w", subject: "testing" });
    expect((await ids(inbox, "passed tests"))[0]).toBe("msg_4");
    expect((await ids(inbox, "test"))[0]).toBe("msg_1");
  });

  test("[U8] a hit says where it is and shows the words in a part of its text", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const body = `${"padding ".repeat(50)}the needle lies here <script>alert(1)</script>`;
    const { thread, message } = await inbox.call("threads.send", {
      from: "lead",
      to: "w",
      subject: "hay",
      body,
    });
    const [hit] = await find(inbox, "NEED lies");
    expect(hit).toMatchObject({
      kind: "messages",
      id: message.messageId,
      threadId: thread.threadId,
      messageId: message.messageId,
      channel: "w",
      sender: "lead",
      title: "hay",
      ts: Date.parse(message.createdAt),
    });
    const { text, matches } = hit!.snippet;
    expect(matches.map(([from, to]) => text.slice(from, to))).toEqual(["needle", "lies"]);
    expect(text.length).toBeLessThan(220);
    expect(text).toStartWith("…");
  });

  test("[U8] the better match comes first: a word of the title, and a word that comes often", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const say = (subject: string, body: string) =>
      inbox.call("threads.send", { from: "lead", to: "w", subject, body });
    const filler = "other words that do not matter at all ".repeat(5);
    await say("one", `${filler} login`);
    await say("login of admins", filler);
    await say("three", `login login login ${filler}`);
    const order = await ids(inbox, "login", { kinds: ["messages"] });
    expect(order[0]).toBe("msg_2");
    expect(order).toEqual(["msg_2", "msg_3", "msg_1"]);
  });

  test("[U8] nothing that a person types is an error of syntax", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("messages.send", {
      channel: "c",
      sender: "x",
      content: 'it\'s a "quoted" C++ a-b (c) NEAR OR',
    });
    const typed = [
      '"',
      "'",
      "'a",
      '"a',
      "a*",
      "*",
      "a AND",
      "OR",
      "NOT a",
      "NEAR(a b)",
      "a:b",
      "col:a",
      "^a",
      "a-b",
      "(",
      ")",
    ];
    typed.push(
      "a & | ! <->",
      ":*",
      "\\",
      "%",
      "_",
      "a'b\\'",
      "{}",
      "[x",
      "-a",
      "+",
      "🚀",
      "a\nb",
      "$1",
      "?",
      "--",
      ";drop",
    );
    for (const q of typed) {
      // Whether it is complete is a matter of time: on a busy machine the first look may not be.
      const answer = await inbox.call("search.find", { q });
      expect([q, Array.isArray(answer.hits)]).toEqual([q, true]);
    }
    expect(await ids(inbox, 'quoted" C')).toEqual(["msg_1"]);
    expect(await ids(inbox, "near")).toEqual(["msg_1"]);
    expect((await refusal(inbox.call("search.find", { q: "" }))).code).toBe("invalid_input");
    expect((await refusal(inbox.call("search.find", { q: "x".repeat(2000) }))).code).toBe("too_large");
  });

  test("[U8] deleted, collected and expired texts are not found; a message to the person is found once", async () => {
    await using bench = await start();
    const { inbox } = bench;
    bench.freeze();
    const entry = await push(inbox, "ephemeral note");
    expect(await ids(inbox, "ephemeral")).toEqual([entry]);
    await inbox.call("entries.delete", { id: entry });
    expect(await ids(inbox, "ephemeral")).toEqual([]);
    await inbox.call("entries.restore", { id: entry });
    expect(await ids(inbox, "ephemeral")).toEqual([entry]);
    await inbox.call("entries.delete", { id: entry, atOnce: true });
    expect(await ids(inbox, "ephemeral")).toEqual([]);
    const send = (content: string, more = {}) =>
      inbox.call("messages.send", { channel: "c", sender: "x", content, ...more });
    await send("shortlived", { ttlSeconds: 5 });
    const { id } = await send("acknowledged");
    expect(await ids(inbox, "shortlived")).toHaveLength(1);
    bench.pass(6);
    expect(await ids(inbox, "shortlived")).toEqual([]);
    await inbox.call("messages.ack", { id, agent: "c" });
    bench.pass(3 * 3600);
    await inbox.call("messages.gc", { ackedOlderThanHours: 1 });
    expect(await ids(inbox, "acknowledged")).toEqual([]);
    await inbox.call("mailbox.send", { from: "w", to: "user", message: "only once please" });
    expect((await find(inbox, "once please")).map(({ kind, messageId }) => [kind, messageId])).toEqual([
      ["entries", "msg_3"],
    ]);
  });

  test("[U8] a process that was suspended while it searched finds everything", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("messages.send", { channel: "c", sender: "x", content: "late" });
    const searching = inbox.call("search.find", { q: "late" });
    // Longer than the words are waited for.
    Bun.sleepSync(600);
    expect((await searching).hits).toHaveLength(1);
  });

  test("[U8] many writers and searchers at once: in the end everything is found, and nothing twice", async () => {
    await using bench = await start();
    const inboxes = [bench.inbox, bench.another(), bench.another()];
    await Promise.all(
      inboxes.map(async (inbox, who) => {
        for (let i = 0; i < 40; i++) {
          await inbox.call("messages.send", {
            channel: `c${i % 3}`,
            sender: `s${who}`,
            content: `common n${who}x${i}`,
          });
          if (i % 8 === 0) await inbox.call("search.find", { q: "common" });
        }
      }),
    );
    const answer = await searched(bench.inbox, { q: "common", limit: 100 });
    expect(new Set(answer.hits.map(({ id }) => id)).size).toBe(100);
    for (const word of ["n0x0", "n1x39", "n2x20"]) expect(await find(bench.inbox, `${word}`)).toHaveLength(1);
  });
});
