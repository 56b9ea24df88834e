/** [U5] The journal follows the table, whoever writes and however he ends. */
import { describe, expect, test } from "bun:test";
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { real } from "../../src/documents/bus-files.ts";
import { openConfined } from "../../src/documents/confined.ts";
import { createBus } from "../../src/engines/registry.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { busFiles } from "../../src/location/locate.ts";
import { desk } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { hubHere, served } from "../support/hub.ts";
import { overHttp } from "../support/mcp.ts";
import { postgresUrl, temporarySchema } from "../support/postgres.ts";
import { until } from "../support/until.ts";

const journalOf = (db: string) => join(dirname(db), "inbox/entries.jsonl");
const linesOf = (path: string) =>
  existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
const parsed = (path: string) => linesOf(path).map((line) => JSON.parse(line));
const idsIn = (path: string): string[] => parsed(path).map(({ id }) => id);

/** A bus in a file with a workspace, and ways to add to it. */
async function bus() {
  const folder = temporaryFolder();
  const db = join(folder.path, "coord.db");
  await createBus(db);
  const inbox = openInbox(db);
  const { workspace } = await inbox.call("workspaces.add", {
    path: "/on/another/machine",
    label: "Macro thesis 2026-05",
    agent: "ada",
  });
  return {
    db,
    inbox,
    journal: journalOf(db),
    workspaceId: workspace.workspaceId,
    push: async (comments: string) =>
      (await inbox.call("entries.push", { workspace: workspace.workspaceId, comments })).id,
    [Symbol.asyncDispose]: async () => {
      await inbox.close();
      folder[Symbol.dispose]();
    },
  };
}

describe("lines", () => {
  test("[U5] an entry is one line as documented, in the order in which they came; a message's says which", async () => {
    await using at = await bus();
    const docs = [{ path: "research/macro.md" }];
    const comments = "Drafted the FOMC piece.\nWant a take?";
    const pushed = await at.inbox.call("entries.push", { workspace: at.workspaceId, docs, comments });
    await at.inbox.call("messages.send", {
      channel: "user",
      sender: "w",
      content: "yes?",
      metadata: { choices: ["y", "n"] },
    });
    expect(linesOf(at.journal)[0]).toBe(
      JSON.stringify({
        id: pushed.id,
        ts: pushed.ts,
        workspaceId: at.workspaceId,
        workspaceLabel: "Macro thesis 2026-05",
        docs,
        comments,
      }),
    );
    expect(parsed(at.journal)[1]).toMatchObject({
      workspaceId: null,
      comments: "yes?",
      sender: "w",
      kind: "event",
      threadId: null,
      messageId: "msg_1",
      choices: ["y", "n"],
    });
    expect(readFileSync(at.journal, "utf8")).toEndWith("}\n");
    expect([statSync(at.journal).mode & 0o777, statSync(dirname(at.journal)).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
  });

  test("[U5] a delete rewrites the file and renames it; lines that cannot be parsed, or are not ours, stay as they are", async () => {
    await using at = await bus();
    const [one, two, three] = [await at.push("one"), await at.push("two"), await at.push("three")];
    const odd = Buffer.concat([
      Buffer.from('{"half": '),
      Buffer.of(0xff, 0xfe, 0x0a),
      Buffer.from("not json\n"),
    ]);
    const stranger = `${JSON.stringify({ id: crypto.randomUUID(), ts: 1, comments: "never here" })}\n`;
    appendFileSync(at.journal, Buffer.concat([odd, Buffer.from(stranger)]));
    const before = statSync(at.journal).ino;
    await at.inbox.call("entries.delete", { id: two });
    expect(readFileSync(at.journal, "utf8")).toContain(two); // it can still be restored
    await at.inbox.call("entries.delete", { id: two, atOnce: true });
    const bytes = readFileSync(at.journal);
    expect(statSync(at.journal).ino).not.toBe(before);
    expect(bytes.includes(two)).toBe(false);
    expect(bytes.includes(odd)).toBe(true);
    expect(bytes.includes(stranger)).toBe(true);
    for (const id of [one, three]) expect(bytes.includes(id)).toBe(true);
    const four = await at.push("four");
    expect(readFileSync(at.journal, "utf8").trimEnd().split("\n").at(-1)).toContain(four);
    expect(readdirSync(dirname(at.journal)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("[U5] what a writer that died left undone, the next one does: a line missing, half a line, all of them", async () => {
    await using at = await bus();
    const ids = [await at.push("one"), await at.push("two")];
    const whole = readFileSync(at.journal, "utf8");
    const [first] = whole.split("\n");
    writeFileSync(at.journal, `${first}\n`);
    ids.push(await at.push("three"));
    expect(idsIn(at.journal)).toEqual(ids);
    writeFileSync(at.journal, `${first}\n${whole.split("\n")[1]!.slice(0, 40)}`);
    ids.push(await at.push("four"));
    const lines = linesOf(at.journal);
    expect(lines[1]).toBe(whole.split("\n")[1]!.slice(0, 40));
    expect(lines.toSpliced(1, 1).map((line) => JSON.parse(line).id)).toEqual(ids);
    rmSync(at.journal);
    ids.push(await at.push("five"));
    expect(idsIn(at.journal)).toEqual(ids);
  });

  test("[U5] a journal that cannot be written blocks nothing, and the next process that can writes all of it", async () => {
    using at = await desk();
    const { workspace } = (await at.inbox("workspace", "add", ".", "--label", "x")).json;
    writeFileSync(join(dirname(at.db), "inbox"), "in the way");
    const pushed = await at.inbox("entries", "push", workspace.workspace_id, "--comments", "one");
    expect([pushed.code, pushed.stderr]).toEqual([0, expect.stringContaining("warning: the journal in")]);
    rmSync(join(dirname(at.db), "inbox"));
    await at.inbox("entries", "push", workspace.workspace_id, "--comments", "two");
    expect(parsed(journalOf(at.db)).map(({ comments }) => comments)).toEqual(["one", "two"]);
  });
});

describe("several processes", () => {
  test("[U5] processes that push at once leave whole lines, each once, while others delete", async () => {
    await using at = await bus();
    const doomed = [];
    for (let i = 0; i < 10; i++) doomed.push(await at.push(`doomed ${i} ${"x".repeat(2000)}`));
    using place = await desk();
    const pushing = Array.from({ length: 12 }, (_, i) =>
      place.inbox("entries", "push", at.workspaceId, "--comments", `${i} ${"y".repeat(5000)}`, "--db", at.db),
    );
    const deleting = doomed.map((id) => place.inbox("entries", "delete", id, "--at-once", "--db", at.db));
    const codes = (await Promise.all([...pushing, ...deleting])).map(({ code }) => code);
    expect(codes).toEqual(Array(22).fill(0));
    const { entries } = await at.inbox.call("entries.export", {});
    expect(entries).toHaveLength(12);
    expect(idsIn(at.journal).toSorted()).toEqual(entries.map(({ id }) => id).toSorted());
  });

  test("[U5] processes killed at any moment lose no line for good: a hub that starts has every entry", async () => {
    using place = await desk();
    const { workspace } = (await place.inbox("workspace", "add", ".", "--label", "x")).json;
    for (let i = 0; i < 40; i++) {
      const child = place.start("entries", "push", workspace.workspace_id, "--comments", `entry ${i}`);
      await Bun.sleep(i / 2); // somewhere between its start and its end
      child.kill("SIGKILL");
      await child.exited;
    }
    await place.inbox("entries", "push", workspace.workspace_id, "--comments", "the last");
    await using hub = await served(place.db);
    const { entries } = (await hub.ask("GET /api/inbox/export?limit=1000")).json;
    const wanted = entries.map(({ id }: { id: string }) => id);
    await until("the journal has every entry", () => {
      const found = idsIn(journalOf(place.db));
      return found.length >= wanted.length && found.toSorted().join() === wanted.toSorted().join();
    });
  });

  test("[U5] a hub repairs the journal when it starts: missing lines are added, erased ones removed", async () => {
    await using at = await bus();
    const ids = [await at.push("one"), await at.push("two"), await at.push("three")];
    const whole = readFileSync(at.journal, "utf8");
    await at.inbox.call("entries.delete", { id: ids[0]!, atOnce: true });
    await at.inbox.close();
    const [first, , third] = whole.split("\n");
    writeFileSync(at.journal, `${first}\nodd\n${third}\n`);
    rmSync(join(dirname(at.journal), "entries.mark"));
    await using _ = await hubHere({ db: at.db });
    await until(
      "the journal is repaired",
      () => linesOf(at.journal).length === 3 && linesOf(at.journal)[0] === "odd",
    );
    expect(
      linesOf(at.journal)
        .slice(1)
        .map((line) => JSON.parse(line).id),
    ).toEqual([ids[2]!, ids[1]!]);
  });

  test("[U3] [U5] a hub erases entries ten seconds after they were deleted, and removes them from the journal", async () => {
    await using at = await bus();
    const [one, two] = [await at.push("one"), await at.push("two")];
    await using hub = await hubHere({ db: at.db });
    const earlier = openInbox(at.db, { now: () => Date.now() - 9500 });
    await earlier.call("entries.delete", { id: one });
    await earlier.close();
    await until("the entry is erased", async () => {
      const { json } = await hub.ask(`GET /api/inbox/${one}`);
      return json.error.details.erased === true;
    });
    await until("the journal has only the second entry", () => idsIn(at.journal).join() === two);
  });

  test("[U5] an entry that is pushed over MCP or sent to the person through the hub is in the journal soon after", async () => {
    await using hub = await hubHere();
    const { json } = await hub.ask("POST /api/workspaces", { path: "/on/another/machine", label: "Macro" });
    await using agent = await overHttp(`${hub.url}/mcp/${json.workspace.workspaceId}`, "2025-11-25");
    const pushed = await agent.call("inbox_push", { comments: "look" });
    await hub.ask("POST /api/mailbox/user/send", { from: "w", message: "hello" });
    const found = await until("the journal has two lines", () => {
      const lines = parsed(journalOf(hub.db));
      return lines.length === 2 && lines;
    });
    expect(found).toMatchObject([
      { id: pushed.fields.id, comments: "look" },
      { comments: "hello", sender: "w" },
    ]);
  });

  test.skipIf(!postgresUrl)(
    "[U5] for a bus on a server the journal is in the hub's data folder, whoever pushes",
    async () => {
      using place = await temporarySchema();
      using folder = temporaryFolder();
      const dataDir = join(folder.path, "data");
      mkdirSync(dataDir);
      await using hub = await hubHere({ db: place.url, dataDir });
      const elsewhere = openInbox(place.url);
      const sent = `from elsewhere ${crypto.randomUUID()}`;
      await elsewhere.call("mailbox.send", { from: "w", to: "user", message: sent });
      await elsewhere.close();
      const journal = join(dataDir, "inbox/entries.jsonl");
      await until("the journal has what was sent", () =>
        parsed(journal).some(({ comments }) => comments === sent),
      );
      const { entries } = (await hub.ask("GET /api/inbox/history?limit=1")).json;
      await hub.ask(`DELETE /api/inbox/${entries[0].id}`, { atOnce: true });
      await until(
        "the journal no longer has what was sent",
        () => !parsed(journal).some(({ comments }) => comments === sent),
      );
    },
  );
});

test("[U5.6] databases in one folder have a journal each, and a backup or a restore concerns only its own", async () => {
  using at = await desk();
  const other = join(at.path, ".agents/other.db");
  const third = join(at.path, ".agents/third.db");
  await at.inbox("init", "--db", other);
  await at.inbox("ask", "user", "of the usual one?");
  await at.inbox("ask", "user", "of the other?", "--db", other);
  const asked = (db: string) => parsed(db).map(({ comments }) => comments);
  const usual = join(at.path, ".agents/inbox/entries.jsonl");
  expect([asked(usual), asked(`${other}-inbox/entries.jsonl`)]).toEqual([
    ["of the usual one?"],
    ["of the other?"],
  ]);
  await at.inbox("backup", "b.tar", "--db", other);
  const archive = readFileSync(join(at.path, "b.tar"), "utf8");
  expect([archive.includes("of the other?"), archive.includes("of the usual one?")]).toEqual([true, false]);
  expect((await at.inbox("restore", "b.tar", "--db", third)).json.kept).toEqual([]);
  expect(asked(`${third}-inbox/entries.jsonl`)).toEqual(["of the other?"]);
  expect(asked(usual)).toEqual(["of the usual one?"]);
});

describe("the file that databases of one folder shared up to version 0.1", () => {
  const stranger = JSON.stringify({ id: crypto.randomUUID(), ts: 1, comments: "of another database" });
  const odd = '{"half": ';

  /** A bus that is not called coord.db and has erased an entry, with its lines in the shared file, as version 0.1 left them. */
  async function upgraded(...others: string[]) {
    const folder = temporaryFolder();
    const db = join(folder.path, "team.db");
    await createBus(db);
    const inbox = openInbox(db);
    const { workspace } = await inbox.call("workspaces.add", { path: "/on/another/machine", label: "x" });
    const push = async (comments: string, by = inbox) =>
      (await by.call("entries.push", { workspace: workspace.workspaceId, comments })).id;
    const own = join(`${db}-inbox`, "entries.jsonl");
    const [one, two, three] = [await push("one"), await push("two"), await push("three")];
    const lines = linesOf(own);
    await inbox.call("entries.delete", { id: two, atOnce: true });
    await inbox.close();
    const shared = journalOf(db);
    const leave = () => writeFileSync(shared, [...others, ...lines].map((line) => `${line}\n`).join(""));
    mkdirSync(dirname(shared), { mode: 0o700 });
    leave();
    writeFileSync(join(dirname(shared), "entries.mark"), "1000\n");
    rmSync(dirname(own), { recursive: true });
    const again = openInbox(db);
    return {
      ...{ path: folder.path, db, own, shared, lines, leave, ids: { one, two, three } },
      ...{
        workspaceId: workspace.workspaceId,
        inbox: again,
        push: (comments: string) => push(comments, again),
      },
      [Symbol.asyncDispose]: async () => {
        await again.close();
        folder[Symbol.dispose]();
      },
    };
  }

  test("[U5.7] the first update of its own journal removes its lines, also of erased entries; those of others stay", async () => {
    await using at = await upgraded(stranger, odd);
    const four = await at.push("four");
    expect(idsIn(at.own)).toEqual([at.ids.one, at.ids.three, four]);
    expect(linesOf(at.shared)).toEqual([stranger, odd]);
    // It may have been a number of this bus.
    expect(existsSync(join(dirname(at.shared), "entries.mark"))).toBe(false);
  });

  test("[U5.7] a file in which nothing is left is deleted", async () => {
    await using at = await upgraded();
    await at.push("four");
    expect(readdirSync(dirname(at.shared))).toEqual(["entries.lock"]);
  });

  test("[U5.7] coord.db keeps its own lines, also of entries that both have because one is a copy", async () => {
    await using at = await upgraded(stranger);
    for (const end of ["", "-wal"])
      if (existsSync(at.db + end)) copyFileSync(at.db + end, join(at.path, `coord.db${end}`));
    await at.push("four");
    expect(linesOf(at.shared)).toEqual([stranger, at.lines[0]!, at.lines[2]!]);
  });

  test("[U5.7] an entry that is erased is removed from it, also if an older program wrote the line later", async () => {
    await using at = await upgraded(stranger);
    await at.push("four");
    at.leave();
    await at.inbox.call("entries.delete", { id: at.ids.three, atOnce: true });
    expect(readFileSync(at.shared, "utf8")).not.toContain(at.ids.three);
    expect(linesOf(at.shared)[0]).toBe(stranger);
  });

  test("[U5.7] doctor reports erased entries in it, and removes them", async () => {
    await using at = await upgraded(stranger);
    await at.push("four");
    at.leave();
    using place = await desk();
    const entriesFile = async (...more: string[]) =>
      (await place.inbox("doctor", "--db", at.db, ...more)).json.checks.find(
        ({ name }: { name: string }) => name === "entries file",
      );
    expect(await entriesFile()).toMatchObject({ status: "warn", detail: expect.stringContaining(at.shared) });
    await entriesFile("--fix");
    expect(linesOf(at.shared)).toEqual([stranger]);
    expect(await entriesFile()).toMatchObject({ status: "ok" });
  });

  test("[U5.7] a process that was killed in between is followed by one that does the rest", async () => {
    await using at = await upgraded();
    writeFileSync(`${at.shared}.tmp`, at.lines[0]!);
    writeFileSync(at.shared, "");
    await at.push("four");
    expect(readdirSync(dirname(at.shared))).toEqual(["entries.lock"]);
    expect(idsIn(at.own)).toHaveLength(3);
  });

  test("[U5.7] processes of both databases, some of them killed, lose no line of coord.db and leave none of the other", async () => {
    await using at = await upgraded(stranger);
    const coord = join(at.path, "coord.db");
    await createBus(coord);
    using place = await desk();
    const added = openInbox(coord);
    const { workspace } = await added.call("workspaces.add", { path: "/on/another/machine", label: "y" });
    const pushed = (db: string, id: string, comments: string) =>
      ["entries", "push", id, "--comments", comments, "--db", db] as const;
    for (let i = 0; i < 12; i++) {
      const child = place.start(...pushed(at.db, at.workspaceId, `killed ${i}`));
      const other = place.inbox(...pushed(coord, workspace.workspaceId, `kept ${i}`));
      await Bun.sleep(20 + i * 3); // somewhere between its start and its end
      child.kill("SIGKILL");
      await child.exited;
      expect((await other).code).toBe(0);
      expect(linesOf(at.shared)).toContain(stranger);
    }
    await Promise.all([
      ...[1, 2, 3].map((i) => place.inbox(...pushed(at.db, at.workspaceId, `last ${i}`))),
      ...[1, 2, 3].map((i) => place.inbox(...pushed(coord, workspace.workspaceId, `kept too ${i}`))),
    ]);
    const all = async (inbox: typeof added) =>
      (await inbox.call("entries.export", {})).entries.map(({ id }) => id).toSorted();
    expect(idsIn(at.shared).toSorted()).toEqual([...(await all(added)), JSON.parse(stranger).id].toSorted());
    expect(idsIn(at.own).toSorted()).toEqual(await all(at.inbox));
    await added.close();
  });

  test("[U2.2] it is never shown as a document, whatever the database is called; other files beside it are", async () => {
    await using at = await upgraded();
    writeFileSync(join(dirname(at.shared), "notes.md"), "mine");
    const confines = { root: real(at.path), bus: busFiles(at.db) };
    const opened = (path: string) => {
      try {
        closeSync(openConfined(confines, path).descriptor);
        return "opened";
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(opened("inbox/entries.jsonl")).toContain("it belongs to the bus itself");
    expect(opened("inbox/entries.mark")).toContain("it belongs to the bus itself");
    expect(opened("inbox/notes.md")).toBe("opened");
  });
});

test("[U3] entries can be seeded, but only by a hub for development", async () => {
  await using usual = await hubHere();
  const refused = await usual.ask("POST /api/inbox/seed", {});
  expect([refused.status, refused.json.error.hint]).toEqual([405, "only available with inbox serve --dev"]);
  await using hub = await hubHere({ dev: true });
  const { status, json } = await hub.ask("POST /api/inbox/seed", {
    comments: "try",
    docs: [{ path: "a.md" }],
  });
  expect([status, json]).toEqual([201, { id: expect.any(String), ts: expect.any(Number) }]);
  await hub.ask("POST /api/inbox/seed", { sender: "w", choices: ["a"] });
  const { entries } = (await hub.ask("GET /api/inbox/history")).json;
  expect(entries).toMatchObject([
    { sender: "w", choices: ["a"], comments: "An entry to look at.", workspaceLabel: "Seed" },
    { id: json.id, comments: "try", docs: [{ path: "a.md" }] },
  ]);
  expect((await hub.ask("POST /api/inbox/seed", { docs: [{ path: "../x" }] })).status).toBe(400);
});
