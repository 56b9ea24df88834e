/** [A5] [A6] [A7] Asking for a decision, several approvers, escalation, and the record of it. */
import { describe, expect, test } from "bun:test";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";
import { until } from "../support/until.ts";

describe.each(engines)("$name", ({ start }) => {
  test("[A5] the person's choice decides, is given to the waiting call, and does not stay in the inbox", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const decision = inbox.call("mailbox.decide", {
      from: "ci",
      to: ["user"],
      question: "Deploy v2?",
      choices: ["yes", "no"],
    });
    const entries = async () => (await inbox.call("entries.history", {})).entries;
    await until("the question is there", async () => (await entries()).length === 1);
    const [entry] = await entries();
    expect(entry).toMatchObject({ kind: "question", comments: "Deploy v2?", choices: ["yes", "no"] });
    await inbox.call("entries.reply", { id: entry!.id, choice: "yes", message: "go ahead" });
    expect(await decision).toMatchObject({
      decided: true,
      choice: "yes",
      answers: [{ agent: "user", choice: "yes", message: "go ahead", verified: false }],
    });
    expect((await inbox.call("mailbox.list", { agent: "ci" })).messages).toEqual([]);
  });

  test("[A5] a question to the person cannot be answered by another agent, by either command", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const asked = { from: "ci", to: ["user"], question: "Release?", choices: ["yes", "no"] };
    const { correlationId } = await inbox.call("mailbox.decide", { ...asked, timeoutSeconds: 0 });
    const [entry] = (await inbox.call("entries.history", {})).entries;
    const { id } = entry!;
    const question = Number(entry!.messageId!.slice("msg_".length));
    const look = () => inbox.call("mailbox.decide", { from: "ci", correlationId, timeoutSeconds: 0 });
    const answer = (from: string) => inbox.call("mailbox.answer", { from, question, choice: "yes" });
    expect(await refusal(answer("ada"))).toMatchObject({
      code: "not_allowed",
      message: `message ${question} was asked of "user": "ada" cannot answer for the person`,
      // [A5.7] No hint tells an agent how to answer in the person's name.
      hint: "only the person can answer it; wait for the answer",
    });
    const reply = await refusal(inbox.call("entries.reply", { id, from: "ada", choice: "yes" }));
    expect(reply).toMatchObject({
      code: "not_allowed",
      message: `the entry ${id} is in the person's inbox: "ada" cannot answer for the person`,
      hint: "only the person can answer it; wait for the answer",
    });
    expect(await look()).toMatchObject({ decided: false, answers: [] });
    expect((await inbox.call("entries.show", { id })).entry.answeredAt).toBeNull();
    await inbox.call("mailbox.answer", { from: "main", question: id, choice: "yes" });
    expect(await refusal(answer("user"))).toMatchObject({ code: "invalid_state" });
    expect(await look()).toMatchObject({ choice: "yes", answers: [{ agent: "user" }] });
  });

  test("[A5] a message that is a choice is that choice; other words decide nothing, and a choice may follow them", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const asked = { from: "ci", to: ["user", "ada"], question: "Go?", need: 2, timeoutSeconds: 0 };
    const { correlationId } = await inbox.call("mailbox.decide", asked);
    const look = () => inbox.call("mailbox.decide", { from: "ci", correlationId, timeoutSeconds: 0 });
    const { id } = (await inbox.call("entries.history", {})).entries[0]!;
    const reply = (message: string) => inbox.call("entries.reply", { id, message });
    expect(await reply("why?")).toMatchObject({ isAnswer: true, entry: { answer: "why?" } });
    expect(await reply(" yes")).toMatchObject({ isAnswer: true, entry: { answer: "yes" } });
    expect(await refusal(reply("yes"))).toMatchObject({ code: "invalid_state" });
    expect(await reply("soon")).toMatchObject({ isAnswer: false, entry: { answer: "yes" } });
    const question = (await inbox.call("mailbox.list", { agent: "ada" })).messages[0]!.id;
    const answer = (message: string) => inbox.call("mailbox.answer", { from: "ada", question, message });
    await answer("let me look");
    expect((await look()).decided).toBe(false);
    await answer("yes");
    expect(await refusal(answer("yes"))).toMatchObject({ code: "invalid_state" });
    expect(await look()).toMatchObject({ decided: true, choice: "yes" });
  });

  test.each(["user", "ada"])("[A5.2] a question without choices is answered once by %s", async (to) => {
    await using bench = await start();
    const { inbox } = bench;
    const { message } = await inbox.call("mailbox.ask", { from: "ci", to, question: "Which name?" });
    const question = Number(message.messageId.slice("msg_".length));
    const answer = (text: string) => inbox.call("mailbox.answer", { from: to, question, message: text });
    await answer("Restante");
    expect(await refusal(answer("Poste"))).toMatchObject({ code: "invalid_state" });
    expect((await inbox.call("mailbox.list", { agent: "ci" })).messages).toMatchObject([
      { kind: "answer", message: "Restante" },
    ]);
  });

  test.each(["user", "ada"])(
    "[A5.2] the single text of an answer by %s is the message where there are no choices",
    async (to) => {
      await using bench = await start();
      const { inbox } = bench;
      const { message } = await inbox.call("mailbox.ask", { from: "ci", to, question: "Which name?" });
      const question = Number(message.messageId.slice("msg_".length));
      const long = "x".repeat(2000);
      const both = inbox.call("mailbox.answer", { from: to, question, choice: "a", message: "b" });
      expect((await refusal(both)).message).toBe("this question has no choices");
      await inbox.call("mailbox.answer", { from: to, question, choice: long });
      const [answer] = (await inbox.call("mailbox.list", { agent: "ci" })).messages;
      expect(answer).toMatchObject({ kind: "answer", message: long });
      expect(answer!.metadata.choice).toBeUndefined();
    },
  );

  test("[A7.2] a question without choices is recorded as asked, and a record after the last one is said to be none", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const to of ["user", "ada"])
      await inbox.call("mailbox.ask", { from: "ci", to, question: `What, ${to}?` });
    const { records, last } = await inbox.call("audit.list", {});
    expect(records.map(({ action, agent, to, text }) => [action, agent, to, text])).toEqual([
      ["asked", "ci", "user", "What, user?"],
      ["asked", "ci", "ada", "What, ada?"],
    ]);
    expect(last).toBeUndefined();
    const newest = records[1]!.number;
    expect(await inbox.call("audit.list", { after: newest })).toEqual({
      records: [],
      hasMore: false,
      last: newest,
    });
    expect((await inbox.call("audit.list", { agent: "ci", after: newest })).last).toBe(newest);
  });

  test("[A5.2] [U10.8] a second answer of the person is refused with what changes the first, or adds to it", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("mailbox.ask", { from: "ci", to: "user", question: "Which name?" });
    const choices = ["yes", "no"];
    await inbox.call("mailbox.ask", { from: "ci", to: "user", question: "Go?", choices });
    const { entries } = await inbox.call("entries.history", {});
    const id = entries.find((entry) => !entry.choices)!.id;
    const withChoices = entries.find((entry) => entry.choices)!.id;
    const answer = (question: string, message: string) =>
      inbox.call("mailbox.answer", { from: "user", question, message });
    await answer(id, "Restante");
    const { hint } = await refusal(answer(id, "Poste"));
    expect(hint).toContain("replaces that answer; without");
    const more = await inbox.call("entries.reply", { id, message: "or Poste" });
    expect(more).toMatchObject({ isAnswer: false, entry: { answer: "Restante" } });
    const changed = await inbox.call("entries.reply", { id, message: "Poste", change: true });
    expect(changed).toMatchObject({ isAnswer: true, entry: { answer: "Poste" } });
    // Words decide nothing where there are choices: they may be repeated until there is a choice.
    for (const text of ["why?", "let me look", "yes"]) await answer(withChoices, text);
    expect((await refusal(answer(withChoices, "soon"))).code).toBe("invalid_state");
  });

  test("[A7] the record says that there is no agent of a name that nobody has", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("mailbox.send", { from: "ada", to: "bob", message: "hi" });
    const known = await inbox.call("audit.list", { agent: "ada" });
    expect(known).toMatchObject({ records: [], of: { name: "ada", known: true } });
    const unknown = await inbox.call("audit.list", { agent: "adaa" });
    expect(unknown).toMatchObject({ records: [], of: { name: "adaa", known: false, similar: ["ada"] } });
    expect((await inbox.call("audit.list", {})).of).toBeUndefined();
  });

  test("[A5] an agent answers by the id of the question, once, with one of its choices", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const first = await inbox.call("mailbox.decide", {
      from: "w",
      to: ["lead"],
      question: "Which?",
      choices: ["a", "b"],
      timeoutSeconds: 0,
    });
    expect(first).toMatchObject({ decided: false, choice: null, answers: [] });
    const { messages } = await inbox.call("mailbox.list", { agent: "lead" });
    const { id } = messages[0]!;
    expect(
      (await refusal(inbox.call("mailbox.answer", { from: "lead", question: id, choice: "c" }))).code,
    ).toBe("invalid_input");
    expect(
      (await refusal(inbox.call("mailbox.answer", { from: "other", question: id, choice: "a" }))).code,
    ).toBe("not_allowed");
    await inbox.call("mailbox.answer", { from: "lead", question: id, choice: "b", message: "b is smaller" });
    expect(
      (await refusal(inbox.call("mailbox.answer", { from: "lead", question: id, choice: "a" }))).code,
    ).toBe("invalid_state");
    expect((await inbox.call("mailbox.list", { agent: "lead" })).messages).toEqual([]);
    const { correlationId } = first;
    expect(await inbox.call("mailbox.decide", { from: "w", correlationId })).toMatchObject({
      decided: true,
      choice: "b",
    });
  });

  test("[A6] the first choice needs as many as asked for, any other decides at once, and strangers decide nothing", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const ask = (question: string) =>
      inbox.call("mailbox.decide", { from: "ci", to: ["ada", "bob"], question, need: 2, timeoutSeconds: 0 });
    const answer = async (from: string, question: string, choice: string) => {
      const { messages } = await inbox.call("mailbox.list", { agent: from });
      await inbox.call("mailbox.answer", {
        from,
        question: messages.find(({ message }) => message === question)!.id,
        choice,
      });
    };
    const look = (correlationId: string) =>
      inbox.call("mailbox.decide", { from: "ci", correlationId, timeoutSeconds: 0 });
    const drop = await ask("Drop it?");
    await answer("ada", "Drop it?", "yes");
    expect(await look(drop.correlationId)).toMatchObject({ decided: false, answers: [{ agent: "ada" }] });
    await inbox.call("messages.send", {
      channel: "ci",
      content: "yes",
      sender: "eve",
      correlationId: drop.correlationId,
    });
    expect((await look(drop.correlationId)).decided).toBe(false);
    await answer("bob", "Drop it?", "yes");
    expect(await look(drop.correlationId)).toMatchObject({ decided: true, choice: "yes" });
    const keep = await ask("Keep it?");
    await answer("bob", "Keep it?", "no");
    expect(await look(keep.correlationId)).toMatchObject({ decided: true, choice: "no" });
    const many = await refusal(
      inbox.call("mailbox.decide", { from: "ci", to: ["ada"], question: "x", need: 2 }),
    );
    expect(many.message).toBe("need is 2, but the number of agents asked is 1");
  });

  test("[A6] [A7] a question without an answer goes to a second agent; the record has who asked and who answered", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const decision = inbox.call("mailbox.decide", {
      from: "ci",
      to: ["ada"],
      question: "Go?",
      escalateTo: "boss",
      escalateAfter: 0,
    });
    const mail = async () => (await inbox.call("mailbox.list", { agent: "boss" })).messages;
    await until("the second one is asked", async () => (await mail()).length === 1);
    await inbox.call("mailbox.answer", { from: "boss", question: (await mail())[0]!.id, choice: "no" });
    expect(await decision).toMatchObject({ decided: true, choice: "no" });
    const { records, hasMore } = await inbox.call("audit.list", {});
    expect(records.map(({ action, agent, to, choice, text }) => [action, agent, to, choice, text])).toEqual([
      ["asked", "ci", "ada", null, "Go?"],
      ["escalated", "ci", "boss", null, "Go?"],
      ["answered", "boss", "ci", "no", "no"],
    ]);
    expect(new Set(records.map(({ question }) => question)).size).toBe(1);
    expect([hasMore, records.every(({ verified }) => !verified)]).toEqual([false, true]);
    const { records: theirs } = await inbox.call("audit.list", { agent: "boss", limit: 1 });
    expect(theirs).toEqual([records[2]!]);
    expect((await inbox.call("audit.list", { after: records[0]!.number, limit: 1 })).hasMore).toBe(true);
  });
});
