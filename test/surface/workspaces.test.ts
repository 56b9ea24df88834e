import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { desk } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { hubHere } from "../support/hub.ts";
import { overHttp, revisions } from "../support/mcp.ts";

test("[U1] a workspace is a folder with an id, a label and an agent; its entries are listed newest first", async () => {
  using at = await desk();
  const { workspace } = (await at.inbox("workspace", "add", ".", "--label", "Macro thesis")).json;
  expect(workspace).toMatchObject({ path: at.path, label: "Macro thesis", agent: workspace.workspace_id });
  expect(workspace.workspace_id).toMatch(/^ws-[a-z0-9]{20}$/);
  const named = (await at.inbox("workspace", "add", "/tmp", "--label", "x", "--agent", "ada")).json.workspace;
  expect(named.agent).toBe("ada");
  expect((await at.inbox("workspace", "list")).json.workspaces).toHaveLength(2);
  const nowhere = (await at.inbox("workspace", "add", "/no/such", "--label", "x")).json;
  expect(nowhere.warnings).toEqual(["/no/such does not exist"]);
  await at.inbox("workspace", "remove", nowhere.workspace.workspace_id);
  const push = (...args: string[]) => at.inbox("entries", "push", workspace.workspace_id, ...args);
  const first = (await push("--comments", "Drafted it")).json;
  expect(first).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), ts: expect.any(Number) });
  writeFileSync(join(at.path, "report.md"), "# Done\n");
  const second = (await push("--docs", '[{"path": "report.md"}]')).json;
  const { entries, has_more } = (await at.inbox("entries", "list", "--limit", "1")).json;
  expect([entries.length, has_more, entries[0].id]).toEqual([1, true, second.id]);
  expect(entries[0]).toMatchObject({
    workspace_label: "Macro thesis",
    docs: [{ path: "report.md" }],
    comments: "",
  });
  const older = (await at.inbox("entries", "list", "--before", second.id)).json;
  expect(older.entries.map(({ id }: { id: string }) => id)).toEqual([first.id]);
  expect((await at.inbox("entries", "list", "--workspace-id", named.workspace_id)).json.entries).toEqual([]);
});

test("[U6] an entry says how a person gets back into the session of its workspace", async () => {
  using at = await desk();
  const session = "claude --continue";
  const { workspace } = (await at.inbox("workspace", "add", ".", "--label", "x", "--session", session)).json;
  expect(workspace.session).toBe(session);
  expect((await at.inbox("workspace", "list")).json.workspaces[0].session).toBe(session);
  const { id } = (await at.inbox("entries", "push", workspace.workspace_id, "--comments", "look")).json;
  const shown = await at.human("entries", "show", id);
  expect(shown.stdout).toContain(`its session cd ${at.path} && claude --continue`);
  expect((await at.inbox("entries", "show", id)).json.workspace.session).toBe(session);
  const { workspace: other } = (await at.inbox("workspace", "add", "/tmp", "--label", "y")).json;
  expect(other.session).toBeNull();
  const plain = (await at.inbox("entries", "push", other.workspace_id, "--comments", "look")).json;
  expect((await at.human("entries", "show", plain.id)).stdout).not.toContain("its session");
});

test("[U1] [U2] a push says something, points only into its workspace, and its workspace must exist", async () => {
  using at = await desk();
  const { workspace } = (await at.inbox("workspace", "add", ".", "--label", "x")).json;
  const code = async (id: string, ...args: string[]) => {
    const { json } = await at.inbox("entries", "push", id, ...args);
    return json.ok ? "ok" : json.error.code;
  };
  const id = workspace.workspace_id;
  expect(await code(id)).toBe("invalid_input");
  expect(await code(id, "--docs", "[]", "--comments", "  ")).toBe("invalid_input");
  for (const path of ["../x", "a/../../x", "/etc/passwd", "~/x", "C:\\x", "a\\..\\..\\x", ""])
    expect([path, await code(id, "--docs", JSON.stringify([{ path }]))]).toEqual([path, "invalid_input"]);
  const odd = ["--docs", '[{"path": "a/./b..md"}]'];
  expect(await code(id, ...odd)).toBe("not_found");
  mkdirSync(join(at.path, "a"));
  writeFileSync(join(at.path, "a/b..md"), "x");
  expect(await code(id, ...odd)).toBe("ok");
  expect(await code("ws-unknown1", "--comments", "x")).toBe("not_found");
  const message = async (docs: string) =>
    (await at.inbox("entries", "push", id, "--docs", docs)).json.error.message;
  expect([await message('"x"'), await message('["x"]'), await message("[{}]")]).toEqual([
    "--docs must be a list of objects with a path",
    'item 1 of --docs must be an object with a path: {"path": "report.md"}',
    "item 1 of --docs: path is required",
  ]);
  expect(await message('[{"path": "../x"}]')).toBe('--docs must not lead outside the workspace, got "../x"');
});

test("[U1.5] a document that does not exist is refused, on every surface, and the error says where it was looked for", async () => {
  using at = await desk();
  await using hub = await hubHere({ db: at.db });
  const { workspace } = (await at.inbox("workspace", "add", ".", "--label", "x")).json;
  const id = workspace.workspace_id;
  await using model = await overHttp(`${hub.url}/mcp/${id}`, revisions[0]);
  writeFileSync(join(at.path, "there.md"), "x");
  const docs = [{ path: "there.md" }, { path: "nope.md" }, { path: "there.md/x" }];
  const errors = [
    (await at.inbox("entries", "push", id, "--docs", "there.md,nope.md,there.md/x")).json.error,
    (await at.inbox("entries", "push", id, "--docs", JSON.stringify(docs), "--db", hub.url)).json.error,
    (await hub.ask(`POST /api/workspaces/${id}/entries`, { docs })).json.error,
    (await model.call("inbox_push", { docs })).fields.error,
  ];
  const message = `there is no file "nope.md" or "there.md/x" in ${at.path}, the folder of the workspace ${id}`;
  for (const error of errors) expect(error).toMatchObject({ code: "not_found", message });
  expect((await at.inbox("entries", "list")).json.entries).toEqual([]);
  // Repeated with its key it is the same push, whatever has become of the file.
  const push = ["entries", "push", id, "--docs", "there.md", "--idempotency-key", "k"];
  const first = (await at.inbox(...push)).json;
  rmSync(join(at.path, "there.md"));
  expect((await at.inbox(...push)).json).toMatchObject({ id: first.id, deduplicated: true });
  await at.inbox("workspace", "remove", id);
  expect((await at.inbox(...push)).json).toMatchObject({ id: first.id, deduplicated: true });
  // Nothing is known about files of another machine.
  const { workspace: far } = (await at.inbox("workspace", "add", "/no/such", "--label", "far")).json;
  expect((await at.inbox("entries", "push", far.workspace_id, "--docs", "nope.md")).code).toBe(0);
});

test.each([...revisions])(
  "[U1] %s: inbox_push is there only at the workspace's own address, which alone says whose it is",
  async (revision) => {
    await using hub = await hubHere();
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, "a.md"), "x");
    const made = await hub.ask("POST /api/workspaces", { path: folder.path, label: "Macro" });
    const { workspaceId } = made.json.workspace;
    await using inside = await overHttp(`${hub.url}/mcp/${workspaceId}`, revision);
    await using outside = await overHttp(`${hub.url}/mcp?agent=${workspaceId}`, revision);
    const names = async (visitor: typeof inside) =>
      (await visitor.client.listTools()).tools.map(({ name }) => name);
    expect(await names(inside)).toContain("inbox_push");
    expect(await names(outside)).not.toContain("inbox_push");
    const pushed = await inside.call("inbox_push", { docs: [{ path: "a.md" }], comments: "look" });
    expect(pushed.fields).toMatchObject({ id: expect.any(String), ts: expect.any(Number) });
    const refused = await inside.call("inbox_push", { comments: "x", workspace: "ws-other12" });
    expect(refused.fields.error.code).toBe("invalid_input");
    expect((await outside.call("inbox_push", { comments: "x" })).fields.error.code).toBe("not_allowed");
    const { json } = await hub.ask("GET /api/inbox/history?limit=10");
    expect(json.entries).toMatchObject([
      { id: pushed.fields.id, workspaceId, workspaceLabel: "Macro", comments: "look" },
    ]);
    const unknown = await hub.ask("POST /mcp/ws-unknown1", {});
    expect(unknown.status).toBe(404);
  },
);

test("[N5] [U6] setup gives the workspace of this folder the client's session command, keeps one that it has, and sets a named one", async () => {
  using at = await desk();
  const none = await at.inbox("setup", "claude", "--yes");
  expect([none.code, none.json.session]).toEqual([0, null]);
  const { workspace } = (await at.inbox("workspace", "add", ".", "--label", "Here", "--agent", "ada")).json;
  const { workspace_id } = workspace;
  const stored = async () => (await at.inbox("workspace", "list")).json.workspaces[0].session;
  // Without a terminal nothing is written unasked.
  const offered = await at.inbox("setup", "claude");
  expect(offered.json.session).toEqual({ workspace_id, command: "claude --continue", written: false });
  expect(await stored()).toBe(null);
  expect((await at.inbox("setup", "claude", "--yes", "--session", "none")).json.session).toBe(null);
  const set = await at.human("setup", "claude", "--yes");
  expect(set.stdout).toContain("show the command that reopens its session: claude --continue");
  expect(await stored()).toBe("claude --continue");
  await at.inbox("setup", "codex", "--yes");
  expect(await stored()).toBe("claude --continue");
  await at.inbox("setup", "codex", "--yes", "--session", "codex resume --last");
  expect(await stored()).toBe("codex resume --last");
  const edited = await at.inbox("workspace", "edit", workspace_id, "--label", "There", "--session", "x");
  expect(edited.json.workspace).toMatchObject({ label: "There", session: "x", agent: "ada" });
  const removed = await at.inbox("workspace", "edit", workspace_id, "--session", "none");
  expect(removed.json.workspace).toMatchObject({ label: "There", session: null });
  const nothing = await at.inbox("workspace", "edit", workspace_id);
  expect([nothing.code, nothing.json.error.code]).toEqual([30, "invalid_input"]);
});
