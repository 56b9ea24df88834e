/** [C14.5] [C6] What a program reads that made a mistake: calls that it has, fields, and nothing of our insides. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { inspect } from "node:util";
import { table } from "../../src/contract/operations/index.ts";
import { call } from "../../src/contract/phrase.ts";
import { Inbox, InboxError } from "../../src/sdk/sdk.ts";
import { inPrograms } from "../../src/surfaces/spelling/programs.ts";
import { temporaryFolder } from "../support/folder.ts";
import { hubHere } from "../support/hub.ts";

const thrownBy = async (work: () => Promise<unknown>): Promise<InboxError> => {
  const thrown = await work().then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(InboxError);
  return thrown as InboxError;
};

test("[C14.5] hints name what the SDK has, and else the command of the shell", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "none.db");
  const missing = await thrownBy(async () => (await Inbox.open(path)).threads.list({}));
  expect(missing.hint).toBe(`Inbox.open("${path}", { create: true }) creates it`);
  const away = await thrownBy(async () => (await Inbox.open("http://127.0.0.1:1")).threads.list({}));
  expect(away.hint).toBe("check that it is running; where its database is, `inbox up --port 1` starts it");
  const spelling = inPrograms({ opensFiles: true });
  expect(spelling(call("threads.show", { thread: "thr_1" }))).toBe('inbox.threads.show({ thread: "thr_1" })');
  expect(spelling(call("messages.inbox", { channel: "c", limit: 3 }))).toBe(
    'inbox.messages.inbox("c", { limit: 3 })',
  );
});

test("[C14.5] every call that a hint may name is a method, or a command", async () => {
  using folder = temporaryFolder();
  const inbox = await Inbox.open(join(folder.path, "a.db"), { create: true });
  const spelling = inPrograms({ opensFiles: true });
  for (const { name } of table) {
    const text = spelling(call(name))!;
    const [, prefix, method] = /^inbox\.(\w+)\.(\w+)\(\)$/.exec(text) ?? [];
    if (prefix === undefined) expect(text).toMatch(/^`(inbox|orch) [^`]+`$/);
    else expect((inbox as never as Record<string, Record<string, unknown>>)[prefix]![method!]).toBeFunction();
  }
  await inbox.close();
});

test("[C14.5] an input error names the fields, embedded and at a hub", async () => {
  await using hub = await hubHere();
  using folder = temporaryFolder();
  for (const at of [hub.url, join(folder.path, "a.db")]) {
    const inbox = await Inbox.open(at, { create: true, agent: "a" });
    const error = await thrownBy(() => inbox.threads.show({} as never));
    expect(error.message).toBe("thread is required");
    expect(error.hint).toBe("the fields of threads.show are thread, markRead?, agent?");
    await inbox.close();
  }
});

test("[C6] a call after close, and a wait that close ends, say that this Inbox was closed", async () => {
  await using hub = await hubHere();
  using folder = temporaryFolder();
  for (const at of [hub.url, join(folder.path, "a.db")]) {
    const inbox = await Inbox.open(at, { create: true, agent: "a" });
    const waiting = thrownBy(() => inbox.mailbox.receive({}));
    // Longer than it takes until the wait looks for tasks beside its own mail.
    await Bun.sleep(100);
    await inbox.close();
    const closed = { code: "invalid_state", message: "this Inbox was closed: close() had been called on it" };
    expect(await waiting).toMatchObject(closed);
    expect(await thrownBy(() => inbox.threads.list({}))).toMatchObject(closed);
    await inbox.close();
  }
});

test("[C6] a location that is no text is refused in words", async () => {
  for (const location of [undefined, null, 3, ""]) {
    const error = await thrownBy(() => Inbox.open(location as never));
    expect(error).toMatchObject({ code: "invalid_input" });
    expect(error.hint).toContain("{ create: true }");
  }
});

test("[C14.5] an error that is printed shows its code, message, hint and details only", async () => {
  const error = await thrownBy(async () => (await Inbox.open("/nope/x.db")).threads.list({}));
  expect(Object.keys(error).toSorted()).toEqual(["code", "hint"]);
  expect(inspect(error)).not.toMatch(/said|Phrase|Function|undefined/);
  expect(Bun.inspect(error)).not.toMatch(/ said:|Phrase|\[Function|undefined/);
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    code: "not_initialized",
    message: error.message,
    hint: error.hint,
  });
  const detailed = new InboxError("conflict", "no", { details: { a: 1 } });
  expect(JSON.parse(JSON.stringify(detailed)).details).toEqual({ a: 1 });
});
