/** [U2] The files of a workspace, and nothing else, whatever the path and whoever changes it meanwhile. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import escapes from "../corpora/path-escapes.json" with { type: "json" };
import { temporaryFolder } from "../support/folder.ts";
import { hubHere, type TestHub } from "../support/hub.ts";
import { openStream } from "../support/sse.ts";
import { until } from "../support/until.ts";

const secret = "TOP SECRET, not of this workspace";
let hub: TestHub;
let folder: ReturnType<typeof temporaryFolder>;
let root: string;
let workspaceId: string;

beforeAll(async () => {
  hub = await hubHere();
  folder = temporaryFolder();
  root = join(folder.path, "work space");
  mkdirSync(join(root, "sub/deep"), { recursive: true });
  mkdirSync(join(folder.path, "work space evil"));
  writeFileSync(join(folder.path, "secret.txt"), secret);
  writeFileSync(join(folder.path, "work space evil/secret.txt"), secret);
  writeFileSync(join(root, "report.md"), "# Report\n");
  writeFileSync(join(root, "sub/deep/x.ts"), "let a = 1;\n");
  const { json } = await hub.ask("POST /api/workspaces", { path: root, label: "W", agent: "ada" });
  workspaceId = json.workspace.workspaceId;
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** An entry with these documents; past the checks that a push makes, where a path is odd. */
async function entryWith(...paths: string[]): Promise<string> {
  const id = crypto.randomUUID();
  const docs = paths.map((path) => ({ path }));
  const entry = { id, ts: Date.now(), workspaceId, workspaceLabel: "W", docs };
  const { status } = await hub.ask("POST /api/inbox/import", { entries: [entry] });
  expect(status).toBe(200);
  return id;
}

const fetchDocument = (id: string, n = 0, init: RequestInit = {}) =>
  fetch(`${hub.url}/api/inbox/${id}/docs/${n}`, init);

describe("what is served", () => {
  test("[U2] a document is served live: later edits show, and what did not change is not sent again", async () => {
    const id = await entryWith("report.md");
    const first = await fetchDocument(id);
    expect([first.status, await first.text()]).toEqual([200, "# Report\n"]);
    const etag = first.headers.get("etag")!;
    expect((await fetchDocument(id, 0, { headers: { "if-none-match": etag } })).status).toBe(304);
    writeFileSync(join(root, "report.md"), "# Report, edited\n");
    const second = await fetchDocument(id, 0, { headers: { "if-none-match": etag } });
    expect([second.status, await second.text()]).toEqual([200, "# Report, edited\n"]);
    const head = await fetchDocument(id, 0, { method: "HEAD" });
    expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([
      200,
      second.headers.get("etag"),
      "",
    ]);
    expect(second.headers.get("last-modified")).toMatch(/GMT$/);
  });

  test.each([
    ["a.md", "text/markdown; charset=utf-8", "inline"],
    ["a.ts", "text/plain; charset=utf-8", "inline"],
    ["Makefile", "text/plain; charset=utf-8", "inline"],
    ["a.HTML", "text/plain; charset=utf-8", "inline"],
    ["a.xhtml", "text/plain; charset=utf-8", "inline"],
    ["a.xml", "text/plain; charset=utf-8", "inline"],
    ["a.js", "text/plain; charset=utf-8", "inline"],
    ["a.png", "image/png", "inline"],
    ["a.svg", "image/svg+xml", "attachment"],
    ["a.json", "application/json; charset=utf-8", "inline"],
    ["a.csv", "text/csv; charset=utf-8", "inline"],
    ["a.pdf", "application/octet-stream", "attachment"],
    ["a.html.weird", "application/octet-stream", "attachment"],
    ["no-ending", "application/octet-stream", "attachment"],
    ['we"ird\r\nX-Evil: 1 ü.txt', "text/plain; charset=utf-8", "inline"],
  ])(
    "[U2] [X3] %s is served as %s, never as a page, and nobody may guess",
    async (name, type, disposition) => {
      writeFileSync(join(root, name), "<script>alert(1)</script>");
      const response = await fetchDocument(await entryWith(name));
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe(type);
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("content-security-policy")).toStartWith("default-src 'none'; sandbox");
      expect(response.headers.get("cross-origin-resource-policy")).toBe("same-origin");
      const said = response.headers.get("content-disposition")!;
      expect(said).toBe(`${disposition}; filename*=UTF-8''${encodeURIComponent(name).replace(/'/g, "%27")}`);
      expect(response.headers.has("x-evil")).toBe(false);
      expect(await response.text()).toBe("<script>alert(1)</script>");
    },
  );

  test("[U2] a big file comes whole, an empty one too, and one that became shorter ends there", async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(65_536));
    writeFileSync(join(root, "big.bin"), Buffer.concat(Array(80).fill(bytes)));
    const response = await fetchDocument(await entryWith("big.bin"));
    const got = Buffer.from(await response.arrayBuffer());
    expect([got.length, got.subarray(-65_536).equals(bytes)]).toEqual([80 * 65_536, true]);
    writeFileSync(join(root, "empty.txt"), "");
    const empty = await fetchDocument(await entryWith("empty.txt"));
    expect([empty.status, await empty.text()]).toEqual([200, ""]);
    // Much more than the system takes from the hub before anybody reads it.
    const most = 256 * 1024 * 1024;
    truncateSync(join(root, "big.bin"), most);
    const shrinking = await fetchDocument(await entryWith("big.bin"));
    truncateSync(join(root, "big.bin"), 10);
    expect((await shrinking.arrayBuffer()).byteLength).toBeLessThan(most);
  });

  test("[U2] [U3] an entry lists its documents with size and type, and says why one cannot be shown", async () => {
    writeFileSync(join(root, "listed.md"), "12345");
    mkdirSync(join(root, "a folder"), { recursive: true });
    symlinkSync("/etc/passwd", join(root, "out"));
    const id = await entryWith("listed.md", "missing.md", "a folder", "out");
    const { json } = await hub.ask(`GET /api/inbox/${id}`);
    expect(json.workspace.workspaceId).toBe(workspaceId);
    expect(json.documents).toMatchObject([
      { n: 0, path: "listed.md", exists: true, size: 5, type: "text/markdown; charset=utf-8", problem: null },
      { n: 1, exists: false, size: null, type: null, problem: "there is no such file" },
      { n: 2, exists: false, problem: "it is a folder" },
      { n: 3, exists: false, problem: "it is outside the workspace" },
    ]);
  });

  test("[U2] pictures beside a document are served by their path, other files are not", async () => {
    writeFileSync(join(root, "sub/pic.png"), "png");
    const id = await entryWith("sub/deep/x.ts");
    const ask = async (query: string) => {
      const response = await fetch(`${hub.url}/api/inbox/${id}/files?${query}`);
      return [response.status, response.headers.get("content-type")];
    };
    expect(await ask("path=sub/pic.png")).toEqual([200, "image/png"]);
    expect(await ask("n=0&path=../pic.png")).toEqual([200, "image/png"]);
    expect(await ask("n=0&path=/sub/pic.png")).toEqual([200, "image/png"]);
    const json = "application/json; charset=utf-8";
    expect(await ask("path=report.md")).toEqual([404, json]);
    expect(await ask("n=0&path=../../../secret.png")).toEqual([404, json]);
    expect(await ask("path=sub%00/pic.png")).toEqual([404, json]);
    expect(await ask("")).toEqual([400, json]);
  });
});

describe("what is not", () => {
  test("[U2] nothing outside of the workspace is served, and nothing that is not a file", async () => {
    mkdirSync(join(root, "sub/.agents"));
    for (const name of ["agents.toml", "notes.md"]) writeFileSync(join(root, "sub/.agents", name), secret);
    const links = escapes.links as Record<string, string>;
    for (const [name, target] of Object.entries(links))
      symlinkSync(target.replace("OUTSIDE", folder.path), join(root, name));
    Bun.spawnSync(["mkfifo", join(root, "pipe.txt")]);
    for (const path of [...Object.keys(links), ...escapes.through, "pipe.txt", "sub", ".", "missing.md"]) {
      const response = await fetchDocument(await entryWith(path));
      const text = await response.text();
      expect([path, response.status]).toEqual([path, 404]);
      expect(text).not.toContain("SECRET");
      expect(JSON.parse(text).error).toMatchObject({ code: "not_found", details: { gone: true } });
    }
    // A link that stays inside is a way like any other; a second name of a file is that file.
    symlinkSync("sub/deep/x.ts", join(root, "inside.ts"));
    linkSync(join(root, "report.md"), join(root, "second.md"));
    for (const path of ["inside.ts", "second.md", "./sub/./deep//x.ts"])
      expect([path, (await fetchDocument(await entryWith(path))).status]).toEqual([path, 200]);
  });

  test("[U2] no push and no import names a path that leads out", async () => {
    for (const path of escapes.refused) {
      const entry = { id: crypto.randomUUID(), ts: 1, docs: [{ path }] };
      expect([path, (await hub.ask("POST /api/inbox/import", { entries: [entry] })).status]).toEqual([
        path,
        400,
      ]);
    }
  });

  test("[U2] addresses that are cut otherwise lead nowhere", async () => {
    const id = await entryWith("report.md");
    for (const n of escapes.numbers)
      expect([n, (await fetch(`${hub.url}/api/inbox/${id}/docs/${n}`)).status]).toEqual([n, 404]);
    expect((await fetch(`${hub.url}/api/inbox/${crypto.randomUUID()}/docs/0`)).status).toBe(404);
    expect((await fetch(`${hub.url}/api/inbox/..%2f..%2f/docs/0`)).status).toBe(404);
  });

  test("[U2] a link that another process swaps all the time never wins", async () => {
    writeFileSync(join(root, "mine.txt"), "mine");
    mkdirSync(join(root, "inner"));
    mkdirSync(join(folder.path, "outer"));
    for (const place of [join(root, "inner"), join(folder.path, "outer")])
      writeFileSync(join(place, "file.txt"), place.endsWith("outer") ? secret : "mine");
    await using _ = swapping(root, [
      ["swapped.txt", "mine.txt", join(folder.path, "secret.txt")],
      ["swapped folder", "inner", join(folder.path, "outer")],
    ]);
    const ids = [await entryWith("swapped.txt"), await entryWith("swapped folder/file.txt")];
    const seen = { mine: 0, refused: 0 };
    const deadline = performance.now() + 30_000;
    while ((seen.mine < 300 || seen.refused < 300) && performance.now() < deadline)
      await Promise.all(
        ids.map(async (id) => {
          const response = await fetchDocument(id);
          const text = await response.text();
          expect(text).not.toContain("SECRET");
          if (response.status === 200) expect(text).toBe("mine");
          seen[response.status === 200 ? "mine" : "refused"]++;
        }),
      );
    // Both must have been met, or there was no race.
    expect(seen.mine).toBeGreaterThan(20);
    expect(seen.refused).toBeGreaterThan(20);
  });

  test("[U2] a workspace whose folder was replaced by a link shows nothing of where that leads, however it is swapped", async () => {
    const mine = join(folder.path, "mine");
    const aside = join(folder.path, "aside");
    const theirs = join(folder.path, "theirs");
    for (const place of [mine, theirs]) mkdirSync(join(place, "sub"), { recursive: true });
    for (const name of ["a.md", "sub/a.md"]) {
      writeFileSync(join(mine, name), "mine");
      writeFileSync(join(theirs, name), secret);
    }
    const { json } = await hub.ask("POST /api/workspaces", { path: mine, label: "swapped" });
    const id = crypto.randomUUID();
    const docs = [{ path: "a.md" }, { path: "sub/a.md" }];
    const entry = { id, ts: 1, workspaceId: json.workspace.workspaceId, docs };
    await hub.ask("POST /api/inbox/import", { entries: [entry] });
    expect((await fetchDocument(id)).status).toBe(200);
    renameSync(mine, aside);
    symlinkSync(theirs, mine);
    for (const n of [0, 1]) {
      const refused = await fetchDocument(id, n);
      expect([refused.status, (await refused.text()).includes("SECRET")]).toEqual([404, false]);
    }
    expect((await hub.ask(`GET /api/inbox/${id}`)).json.documents[0].problem).toContain("is now a link");
    rmSync(mine);
    renameSync(aside, mine);
    expect((await fetchDocument(id)).status).toBe(200);
  });

  test("[U2] a workspace that was named through a link is registered by its real path", async () => {
    symlinkSync(root, join(folder.path, "another way"));
    const { json } = await hub.ask("POST /api/workspaces", {
      path: join(folder.path, "another way"),
      label: "L",
    });
    expect(json.workspace.path).toBe(root);
  });

  test("[U2] a workspace that holds the bus itself shows nothing of it", async () => {
    using home = temporaryFolder();
    const db = join(home.path, "data/bus.db");
    await using inside = await hubHere({ db });
    await inside.ask("POST /api/messages", { channel: "a", content: "a private message" });
    const { json } = await inside.ask("POST /api/workspaces", { path: home.path, label: "all of it" });
    mkdirSync(join(home.path, ".agents"));
    writeFileSync(join(home.path, ".agents/agents.toml"), secret);
    writeFileSync(join(home.path, "data/report.md"), "fine");
    mkdirSync(join(home.path, "data/bus.db-tasks/1"), { recursive: true });
    writeFileSync(join(home.path, "data/bus.db-tasks/1/transcript.jsonl"), secret);
    linkSync(db, join(home.path, "second-name.md"));
    linkSync(`${db}-wal`, join(home.path, "third-name.md"));
    symlinkSync("data/bus.db", join(home.path, "link.md"));
    const show = async (path: string) => {
      const id = crypto.randomUUID();
      const entry = { id, ts: 1, workspaceId: json.workspace.workspaceId, docs: [{ path }] };
      await inside.ask("POST /api/inbox/import", { entries: [entry] });
      return (await fetch(`${inside.url}/api/inbox/${id}/docs/0`)).status;
    };
    expect(await show("data/report.md")).toBe(200);
    for (const path of [
      "data/bus.db",
      "data/bus.db-wal",
      "data/bus.db-shm",
      "data/bus.db-tasks/1/transcript.jsonl",
      "data/inbox/entries.jsonl",
      ".agents/agents.toml",
      "second-name.md",
      "third-name.md",
      "link.md",
    ])
      expect([path, await show(path)]).toEqual([path, 404]);
    const own = await inside.ask("POST /api/workspaces", { path: join(home.path, ".agents"), label: "x" });
    expect([own.status, own.json.error.code]).toEqual([400, "invalid_input"]);
  });

  test("[U2] what a removed workspace had is not shown any more", async () => {
    const { json } = await hub.ask("POST /api/workspaces", { path: root, label: "soon gone" });
    const id = crypto.randomUUID();
    const gone = json.workspace.workspaceId;
    const entry = { id, ts: 1, workspaceId: gone, docs: [{ path: "report.md" }] };
    await hub.ask("POST /api/inbox/import", { entries: [entry] });
    expect((await fetchDocument(id)).status).toBe(200);
    await hub.ask(`DELETE /api/workspaces/${gone}`);
    expect((await fetchDocument(id)).status).toBe(404);
    expect((await hub.ask(`GET /api/inbox/${id}`)).json.documents).toMatchObject([
      { exists: false, problem: "its workspace was removed" },
    ]);
  });
});

/** A process of its own that points links now inside, now outside, as fast as it can. */
function swapping(at: string, links: [name: string, inside: string, outside: string][]): AsyncDisposable {
  const script = `
    const { renameSync, symlinkSync } = require("node:fs");
    process.chdir(${JSON.stringify(at)});
    for (;;) for (const [name, ...targets] of ${JSON.stringify(links)}) for (const target of targets) {
      symlinkSync(target, ".swap"); renameSync(".swap", name);
    }`;
  const child = Bun.spawn(["node", "-e", script], { stdout: "ignore", stderr: "inherit" });
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
      rmSync(join(at, ".swap"), { force: true });
    },
  };
}

describe("who may", () => {
  test("[U2] [X2] with tokens: the person, a leader and the workspace's own agent read documents, others do not", async () => {
    await using guarded = await hubHere({ auth: false });
    const token = async (agent: string, scope: string) =>
      (await guarded.ask("POST /api/tokens", { agent, scope })).json.token as string;
    const { json } = await guarded.ask("POST /api/workspaces", { path: root, label: "W", agent: "ada" });
    const id = crypto.randomUUID();
    const docs = [{ path: "report.md" }];
    const entry = { id, ts: 1, workspaceId: json.workspace.workspaceId, docs };
    await guarded.ask("POST /api/inbox/import", { entries: [entry] });
    const status = async (agent: string, scope: string) =>
      (await guarded.as(await token(agent, scope))(`GET /api/inbox/${id}/docs/0`)).status;
    expect(await status("user", "worker")).toBe(200);
    expect(await status("lead", "leader")).toBe(200);
    expect(await status("ada", "worker")).toBe(200);
    expect(await status("eve", "worker")).toBe(403);
    expect((await guarded.as("nonsense")(`GET /api/inbox/${id}/docs/0`)).status).toBe(401);
  });
});

describe("changes", () => {
  test("[U2] [U7] changes of an entry's documents are reported as they happen: written, replaced, deleted, restored", async () => {
    const path = join(root, "watched.md");
    writeFileSync(path, "one");
    const id = await entryWith("watched.md", "later/made.md");
    const stream = await openStream(`${hub.url}/api/inbox/${id}/docs/watch`);
    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    const next = async (n: number) => {
      for (;;) {
        const { event, data } = await stream.next();
        expect(event).toBe("document.changed");
        if ((data as { n: number }).n === n) return data as { exists: boolean; size: number };
      }
    };
    expect(await next(0)).toMatchObject({ exists: true, size: 3, path: "watched.md" });
    expect(await next(1)).toMatchObject({ exists: false });
    writeFileSync(path, "three");
    expect(await next(0)).toMatchObject({ exists: true, size: 5 });
    writeFileSync(`${path}.tmp`, "replaced by an editor");
    renameSync(`${path}.tmp`, path);
    expect(await next(0)).toMatchObject({ size: 21 });
    rmSync(path);
    expect(await next(0)).toMatchObject({ exists: false, problem: "there is no such file" });
    symlinkSync("/etc/passwd", path);
    expect(await next(0)).toMatchObject({ exists: false, problem: "it is outside the workspace" });
    rmSync(path);
    writeFileSync(path, "back");
    utimesSync(path, 1, 1);
    await next(0);
    mkdirSync(join(root, "later"));
    writeFileSync(join(root, "later/made.md"), "x");
    expect(await next(1)).toMatchObject({ exists: true, size: 1 });
    stream.close();
    await until("nobody waits at the hub", async () =>
      (await hub.ask("GET /metrics")).text.includes("restante_waiters 0"),
    );
  });

  test("[U2] [X4] the number of watched documents is limited, and a client that leaves makes room", async () => {
    await using small = await hubHere({ limits: { watchedEntries: { all: 9, perToken: 9, perAddress: 3 } } });
    const id = crypto.randomUUID();
    await small.ask("POST /api/inbox/import", { entries: [{ id, ts: 1, comments: "x" }] });
    const open = () => openStream(`${small.url}/api/inbox/${id}/docs/watch`);
    const streams = [await open(), await open(), await open()];
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    const refused = await small.ask(`GET /api/inbox/${id}/docs/watch`);
    expect([refused.status, refused.json.error.code]).toEqual([429, "limited"]);
    for (const stream of streams) stream.close();
    await until("nobody waits at the small hub", async () =>
      (await small.ask("GET /metrics")).text.includes("restante_waiters 0"),
    );
    const again = await open();
    expect(again.status).toBe(200);
    again.close();
  });
});
