/** What people bring along from the systems that came before: names that go on working. */
import { expect, test } from "bun:test";
import { desk, run } from "../support/cli.ts";
import { hubHere } from "../support/hub.ts";
import { overHttp, overStdio, revisions } from "../support/mcp.ts";

test("[C9] CAO_TERMINAL_ID names the caller if INBOX_AGENT does not", async () => {
  using at = await desk();
  await run(["send", "--from", "lead", "--to", "w", "--subject", "s"], { cwd: at.path });
  const as = (env: Record<string, string>, ...args: string[]) =>
    run([...args, "--json"], { cwd: at.path, env });
  expect((await as({ CAO_TERMINAL_ID: "w" }, "fetch")).json.threads).toHaveLength(1);
  const sent = await as({ CAO_TERMINAL_ID: "w" }, "send", "lead", "hello");
  expect(sent.json.message.from_agent).toBe("w");
  const both = await as({ CAO_TERMINAL_ID: "w", INBOX_AGENT: "me" }, "send", "lead", "hello");
  expect(both.json.message.from_agent).toBe("me");
});

test("[C5] --tools tx lists the tools of channels under that protocol's names, on either transport", async () => {
  const [revision] = revisions;
  await using hub = await hubHere();
  const wanted = [
    "tx_msg_send",
    "tx_msg_inbox",
    "tx_msg_ack",
    "tx_msg_ack_all",
    "tx_msg_pending",
    "tx_msg_gc",
  ];
  for (const open of [
    () => overHttp(`${hub.url}/mcp?tools=tx`, revision!),
    () => overStdio(hub.db, revision!, undefined, "--tools", "tx"),
  ]) {
    await using visitor = await open();
    const names = (await visitor.client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(wanted));
    expect(names.filter((name) => !name.startsWith("tx_msg_"))).toEqual([]);
    const sent = await visitor.client.callTool({
      name: "tx_msg_send",
      arguments: { channel: "agent-1", content: "hello", metadata: '{"priority":"high"}' },
    });
    expect(sent.isError).toBeFalsy();
  }
});

test("[U3] the history is paged by a time as well: before= takes an entry's ts, or ISO 8601", async () => {
  let now = Date.parse("2030-01-01T00:00:00.000Z");
  await using hub = await hubHere({ now: () => now, supervise: false });
  const { workspace } = (await hub.ask("POST /api/workspaces", { path: "/on/another/machine", label: "x" }))
    .json;
  const pushed: { id: string; ts: number }[] = [];
  for (const comments of ["one", "two", "three"]) {
    now += 1000;
    pushed.push((await hub.ask(`POST /api/workspaces/${workspace.workspaceId}/entries`, { comments })).json);
  }
  const before = async (place: string | number) =>
    (await hub.ask(`GET /api/inbox/history?before=${encodeURIComponent(place)}`)).json.entries.map(
      ({ comments }: { comments: string }) => comments,
    );
  const last = pushed[2]!;
  expect(await before(last.ts)).toEqual(["two", "one"]);
  expect(await before(new Date(last.ts).toISOString())).toEqual(["two", "one"]);
  expect(await before(last.id)).toEqual(["two", "one"]);
  expect(await before(pushed[0]!.ts)).toEqual([]);
  expect((await hub.ask("GET /api/inbox/history?before=yesterday")).status).toBe(400);
});
