import { describe, expect, test } from "bun:test";
import type { InputOf } from "../../src/contract/operations/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const channel = "builds";
const post = (inbox: Inbox, content: string, more: Partial<InputOf<"messages.send">> = {}) =>
  inbox.call("messages.send", { channel, content, sender: "ci", ...more });
const wait = (inbox: Inbox, more: Partial<InputOf<"messages.wait">> = {}) =>
  inbox.call("messages.wait", { channel, ...more });
const contents = ({ messages }: { messages: { content: string }[] }) =>
  messages.map(({ content }) => content);

describe.each(engines)("$name", ({ start }) => {
  test("[M14] [W5] msg wait answers at once if there are messages, and otherwise sleeps until one is written", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, "one");
    expect(await wait(inbox)).toMatchObject({ channel, count: 1, woke: true });
    const waiting = wait(bench.another(), { afterId: 1 });
    await post(inbox, "to others", { channel: "other" });
    await post(inbox, "two");
    const woken = await waiting;
    expect([contents(woken), woken.woke]).toEqual([["two"], true]);
    // Reading is pure: everybody else finds the same.
    expect(contents(await wait(inbox))).toEqual(["one", "two"]);
  });

  test("[M14] [W3] a timeout is nothing found; 0 is at once", async () => {
    await using bench = await start();
    const nothing = { messages: [], channel, count: 0, woke: false };
    expect(await wait(bench.inbox, { timeoutSeconds: 0 })).toEqual(nothing);
    expect(await wait(bench.inbox, { timeoutSeconds: 0.05 })).toEqual(nothing);
  });

  test("[M14] [M3] a reader waits from its stored position, and moves it only with commit", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const reader = "deployer";
    await post(inbox, "one");
    expect(contents(await wait(inbox, { reader }))).toEqual(["one"]);
    expect(contents(await wait(inbox, { reader, commit: true }))).toEqual(["one"]);
    const waiting = wait(bench.another(), { reader, commit: true });
    await post(inbox, "two");
    expect(contents(await waiting)).toEqual(["two"]);
    expect(contents(await wait(inbox, { reader, timeoutSeconds: 0 }))).toEqual([]);
    expect((await refusal(wait(inbox, { commit: true }))).code).toBe("invalid_input");
  });

  test("[M14] only messages that match end a wait: by sender, by correlation id", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const waiting = wait(bench.another(), { sender: "qa", correlationId: "k" });
    await post(inbox, "wrong sender", { correlationId: "k" });
    await post(inbox, "wrong id", { sender: "qa" });
    await post(inbox, "right", { sender: "qa", correlationId: "k" });
    expect(contents(await waiting)).toEqual(["right"]);
  });
});
