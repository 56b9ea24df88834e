/** [U15] What the person last read of documents, and what has changed since. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seenLimits } from "../../src/contract/document.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { engines } from "../support/engines.ts";
import { temporaryFolder } from "../support/folder.ts";

const workspaceIn = async (inbox: Inbox, path: string) =>
  (await inbox.call("workspaces.add", { path, label: "Thesis" })).workspace.workspaceId;
const push = async (inbox: Inbox, workspace: string, ...paths: string[]) =>
  (await inbox.call("entries.push", { workspace, docs: paths.map((path) => ({ path })) })).id;
const changes = async (inbox: Inbox, id: string) => (await inbox.call("entries.changes", { id })).documents;

describe.each(engines)("$name", ({ start }) => {
  test("[U15] a document is compared with the text that was last read, also in another entry", async () => {
    await using bench = await start();
    using folder = temporaryFolder();
    const { inbox } = bench;
    const plan = join(folder.path, "plan.md");
    writeFileSync(plan, "one\ntwo\nthree\n");
    const workspace = await workspaceIn(inbox, folder.path);
    const first = await push(inbox, workspace, "plan.md");
    expect(await changes(inbox, first)).toMatchObject([{ n: 0, seenAt: null, before: null, added: 0 }]);
    expect(await inbox.call("entries.seen", { id: first })).toEqual({ kept: ["plan.md"] });
    writeFileSync(plan, "one\nzwei\nthree\nfour\n");
    const second = await push(inbox, workspace, "plan.md");
    const [changed] = await changes(inbox, second);
    expect(changed).toEqual({
      n: 0,
      path: "plan.md",
      seenAt: expect.any(String),
      before: "one\ntwo\nthree\n",
      after: "one\nzwei\nthree\nfour\n",
      added: 2,
      removed: 1,
    });
    // What was changed after the person was shown it is not what it has read.
    utimesSync(plan, new Date("2026-01-01T00:00:10Z"), new Date("2026-01-01T00:00:10Z"));
    const stale = await inbox.call("entries.seen", { id: second, asOf: "2026-01-01T00:00:09Z" });
    expect(stale).toEqual({ kept: [] });
    expect(await inbox.call("entries.seen", { id: second, asOf: "2026-01-01T00:00:10Z" })).toEqual({
      kept: ["plan.md"],
    });
    expect(await changes(inbox, first)).toMatchObject([{ added: 0, removed: 0 }]);
    // Once more changes nothing, and is no event.
    await inbox.call("entries.seen", { id: second });
    const { events } = await inbox.call("events.watch", { afterEvent: 0, limit: 100 });
    expect(
      events.filter(({ eventType }) => eventType === "entry.seen").map(({ payload }) => payload),
    ).toEqual([
      { entry: first, documents: ["plan.md"] },
      { entry: second, documents: ["plan.md"] },
    ]);
  });

  test("[U15] long texts and binary files are not kept, and kept texts are deleted with their entry and workspace", async () => {
    await using bench = await start();
    using folder = temporaryFolder();
    const { inbox } = bench;
    const write = (name: string, bytes: string | Uint8Array) => writeFileSync(join(folder.path, name), bytes);
    write("long.txt", "x".repeat(seenLimits.bytes + 1));
    write("full.txt", "x".repeat(seenLimits.bytes));
    write("nul.txt", "a\0b");
    write("latin.txt", new Uint8Array([0xe9]));
    write("gone.txt", "soon");
    mkdirSync(join(folder.path, "folder"));
    const workspace = await workspaceIn(inbox, folder.path);
    const id = await push(
      inbox,
      workspace,
      "long.txt",
      "full.txt",
      "nul.txt",
      "latin.txt",
      "gone.txt",
      "folder",
    );
    rmSync(join(folder.path, "gone.txt"));
    expect(await inbox.call("entries.seen", { id })).toEqual({ kept: ["full.txt"] });
    const other = await push(inbox, workspace, "full.txt");
    rmSync(join(folder.path, "full.txt"));
    expect(await changes(inbox, other)).toMatchObject([
      { before: expect.any(String), after: null, added: 0 },
    ]);
    await inbox.call("entries.delete", { id, atOnce: true });
    expect(await changes(inbox, other)).toMatchObject([{ seenAt: null, before: null }]);
    write("full.txt", "back");
    await inbox.call("entries.seen", { id: other });
    await inbox.call("workspaces.remove", { workspace });
    expect(await changes(inbox, other)).toMatchObject([{ seenAt: null, after: null }]);
  });

  test("[U15] only the texts that were read last are kept", async () => {
    await using bench = await start();
    using folder = temporaryFolder();
    const { inbox } = bench;
    const workspace = await workspaceIn(inbox, folder.path);
    const ids: string[] = [];
    // An entry has at most a hundred documents.
    for (let batch = 0; batch <= seenLimits.documents / 100; batch++) {
      const paths = Array.from({ length: 100 }, (_, n) => `${batch}-${n}.txt`);
      for (const path of paths) writeFileSync(join(folder.path, path), path);
      const id = await push(inbox, workspace, ...paths);
      ids.push(id);
      await inbox.call("entries.seen", { id });
    }
    const known = await Promise.all(
      ids.map(async (id) => (await changes(inbox, id)).filter(({ before }) => before !== null).length),
    );
    expect(known).toEqual([0, 100, 100, 100, 100, 100]);
  });
});
