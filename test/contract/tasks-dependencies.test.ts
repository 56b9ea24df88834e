/** [Q10] Tasks that wait for others. */
import { describe, expect, test } from "bun:test";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { byHand } from "../support/by-hand.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const agent = "main";
const run = (inbox: Inbox, count?: number) => inbox.call("tasks.run", { agent, count });
const mail = async (inbox: Inbox, of = agent) => (await inbox.call("mailbox.list", { agent: of })).messages;
const skipped = (name: string) => `skipped: its dependency "${name}" did not succeed`;

describe.each(engines)("$name", (engine) => {
  test("[Q10] a task starts when all it waits for have succeeded", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    for (const name of ["a", "b"]) await push(name);
    await push("c", { after: ["a", "b", "a"] });
    expect((await inbox.call("tasks.show", { name: "c" })).task.after).toEqual(["a", "b"]);
    await run(inbox);
    expect(await bench.due()).toEqual(["a", "b"]);
    await bench.end("b");
    expect(await bench.due()).toEqual([]);
    await bench.end("a");
    expect(await bench.due()).toEqual(["c"]);
    await push("d", { after: ["a"] });
    await run(inbox);
    expect(await bench.due()).toEqual(["d"]);
  });

  test("[Q10] [A2] a task that is given by its name and by its id is one dependency", async () => {
    await using bench = await byHand(engine);
    await bench.push("first");
    const { id } = (await bench.inbox.call("tasks.show", { name: "first" })).task;
    await bench.push("then", { after: ["first", id] });
    expect((await bench.inbox.call("tasks.show", { name: "then" })).task.after).toEqual(["first"]);
  });

  test("[Q10] what waits takes no slot from what could run", async () => {
    await using bench = await byHand(engine);
    await bench.push("a");
    await bench.push("b", { after: ["a"], priority: "high" });
    await bench.push("c");
    await run(bench.inbox, 1);
    expect(await bench.due()).toEqual(["a"]);
    await bench.end("a");
    expect(await bench.due()).toEqual(["b"]);
    await bench.end("b");
    expect(await bench.due()).toEqual(["c"]);
  });

  test("[Q10] a failed task skips all tasks that depend on it, directly or not, and each is reported once", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    await push("a");
    await push("b", { after: ["a"] });
    await push("c", { after: ["a", "b"] });
    await push("d", { after: ["c", "b", "a"] });
    await push("free");
    await push("theirs", { agent: "lead", after: ["d"] });
    await run(inbox);
    await bench.due();
    expect(await bench.end("a", { success: false, error: "broken" })).toEqual({
      outcome: "finished",
      success: false,
    });
    const told = await mail(inbox);
    expect(told.map((message) => message.senderId).toSorted()).toEqual(["a", "b", "c", "d"]);
    for (const { kind, senderId, metadata, message, senderVerified } of told) {
      expect({ kind, senderVerified }).toEqual({ kind: "result", senderVerified: true });
      expect(metadata).toMatchObject({ from: senderId, success: false, partial_output: "" });
      expect(JSON.parse(message)).toEqual(metadata);
    }
    expect(told.find(({ senderId }) => senderId === "b")?.metadata.error).toBe(skipped("a"));
    expect((await mail(inbox, "lead")).map(({ metadata }) => metadata)).toMatchObject([
      { from: "theirs", error: skipped("d") },
    ]);
    const { finished } = await inbox.call("tasks.queue", { agent });
    expect(finished.length).toBe(4);
    expect(finished.every(({ success }) => success === false)).toBe(true);
    const { events } = await inbox.call("events.watch", { afterEvent: 0, limit: 1000 });
    const ends = events.filter(({ eventType }) => eventType === "task.finished");
    expect(ends.map(({ payload }) => payload.task).toSorted()).toEqual(["a", "b", "c", "d", "theirs"]);
  });

  test("[Q10] only the last of several attempts decides about what waits", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    bench.freeze(); // the pause before the next attempt is one second
    await push("a", { retries: 1 });
    await push("b", { after: ["a"] });
    await run(inbox);
    await bench.due();
    expect(await bench.end("a", { success: false })).toEqual({ outcome: "again" });
    expect(await bench.due()).toEqual([]);
    bench.pass(2);
    expect(await bench.due()).toEqual(["a"]);
    await bench.end("a");
    expect(await bench.due()).toEqual(["b"]);
  });

  test("[Q10] tasks that depend on a removed task are skipped, and their parent is told", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    await push("a");
    await push("b", { after: ["a"] });
    await push("c", { after: ["b"] });
    await inbox.call("tasks.remove", { agent, name: "a" });
    expect((await mail(inbox)).map(({ metadata }) => metadata.error)).toEqual([skipped("a"), skipped("b")]);
    expect((await inbox.call("tasks.queue", { agent })).queued).toEqual([]);
  });

  test("[Q10] a task that depends on itself, on a cycle or on a failed task is refused", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    for (const name of ["a", "lost"]) await push(name);
    await push("b", { after: ["a"] });
    await push("c", { after: ["b"] });
    expect(await refusal(push("d", { after: ["d"] }))).toMatchObject({
      code: "invalid_input",
      message: '"d" cannot wait for itself',
    });
    const edit = (name: string, after: string[]) => refusal(inbox.call("tasks.edit", { agent, name, after }));
    expect(await edit("a", ["c"])).toMatchObject({
      code: "invalid_input",
      message: '"a" would wait for itself: the dependencies form a cycle',
    });
    expect((await edit("a", ["b"])).code).toBe("invalid_input");
    expect((await edit("a", ["a"])).code).toBe("invalid_input");
    expect(await refusal(push("d", { after: ["b", "bb"] }))).toMatchObject({ code: "not_found" });
    await inbox.call("tasks.remove", { agent, name: "lost" });
    expect(await refusal(push("d", { after: ["lost"] }))).toMatchObject({
      code: "invalid_state",
      message: '"d" would never start: its dependency "lost" did not succeed',
    });
    expect((await inbox.call("tasks.show", { name: "a" })).task.after).toEqual([]);
    await refusal(inbox.call("tasks.show", { name: "d" }));
  });
});
