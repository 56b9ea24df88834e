/** [X10] What a token may do: every operation, every scope, everybody's things, over REST, MCP and the command line. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { allows, policy, targetsOf } from "../../src/contract/access.ts";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { table } from "../../src/contract/operations/index.ts";
import { mailboxSend } from "../../src/contract/operations/mailbox-send.ts";
import { type Scope, scopes } from "../../src/contract/token.ts";
import { type EmbeddedInbox, openInbox } from "../../src/inbox/inbox.ts";
import { acceptedFlagsOf } from "../../src/surfaces/cli/flags.ts";
import { orch, program, run } from "../support/cli.ts";
import { hubHere, type TestHub } from "../support/hub.ts";
import { overHttp, type Visitor } from "../support/mcp.ts";
import {
  agentOf,
  type Case,
  casesOf,
  makeScene,
  profilesFile,
  profilesText,
  type Scene,
} from "../support/policy-scene.ts";
import { requestOf } from "../support/routes.ts";
import { isForWarm, runWarm } from "../support/warm.ts";

let hub: TestHub;
let inbox: EmbeddedInbox;
let scene: Scene;
const visitors = {} as Record<Scope, Visitor>;

beforeAll(async () => {
  hub = await hubHere({ auth: true, supervise: false });
  inbox = openInbox(hub.db, { supervised: true });
  const folder = dirname(hub.db);
  writeFileSync(profilesFile(folder), profilesText);
  scene = await makeScene(inbox, folder);
  for (const scope of scopes)
    visitors[scope] = await overHttp(`${hub.url}/mcp`, "2026-07-28", {
      authorization: `Bearer ${scene.tokens[scope]}`,
    });
});
afterAll(async () => {
  for (const scope of scopes) await visitors[scope][Symbol.asyncDispose]();
  await inbox.close();
  await hub[Symbol.asyncDispose]();
});

/** In a path a dash is whom the token speaks for. */
const meIn = (route: string) => (route.includes(":agent") ? { agent: "-" } : {});
const cases = casesOf(allows);
const said = ({ op, field, owner, scope }: Case) => `${op.name} (${field}) ${owner}, ${scope}`;
const refusedOnes = async (
  some: readonly Case[],
  call: (one: Case, id: string | number) => Promise<unknown>,
) => {
  const wrong: string[] = [];
  for (const one of some) {
    const id = await scene.fresh(one.kind, one.owner, one.scope);
    const refused = (await call(one, id)) === "not_allowed";
    if (refused === one.allowed) wrong.push(`${said(one)}: ${refused ? "refused" : "allowed"}`);
  }
  return wrong;
};

describe("what an operation names", () => {
  test("[X10] there are cases in which each scope is refused, but for admin, and in which it is not", () => {
    for (const scope of scopes) {
      const ofScope = cases.filter((one) => one.scope === scope);
      expect(ofScope.some(({ allowed }) => allowed)).toBe(true);
      expect(ofScope.some(({ allowed }) => !allowed)).toBe(scope !== "admin");
    }
  });

  test("[X10] over REST each scope may do what the policy says, on its own, others' and the person's", async () => {
    const routed = cases.filter(({ op }) => Array.isArray(op.http));
    const wrong = await refusedOnes(routed, async (one, id) => {
      const [route] = one.op.http as readonly string[];
      const asked = requestOf(route!, { ...meIn(route!), ...one.input(id) });
      const { status, json } = await hub.as(scene.tokens[one.scope])(...asked);
      if (status >= 500) return `status ${status}`;
      return json.error?.code;
    });
    expect(wrong).toEqual([]);
  });

  test("[X10] over MCP the same", async () => {
    const tools = cases.filter(({ op }) => "tool" in op.mcp && op.mcp.set !== "user");
    const wrong = await refusedOnes(tools, async ({ op, scope, input }, id) => {
      const form = op.mcp as { tool: string; renamed?: Record<string, string> };
      const args = Object.fromEntries(
        Object.entries(input(id)).map(([key, value]) => [form.renamed?.[key] ?? key, value]),
      );
      const { fields } = await visitors[scope].call(form.tool, args);
      return fields?.error?.code;
    });
    expect(wrong).toEqual([]);
  });

  test("[X10] and with the command line on the database itself", async () => {
    // One allowed and one refused scope of each is enough: the check is the same.
    const some = cases.filter(
      ({ scope, owner }) => scope === "worker" || (scope === "leader" && owner !== "own"),
    );
    const wrong = await refusedOnes(some, async ({ op, scope, input }, id) => {
      const flags = Object.entries(input(id)).flatMap(([key, value]) => {
        const { name } = acceptedFlagsOf(op).find(
          ({ field, role }) => field.key === key && role === "value",
        )!;
        return value === true ? [name] : [name, String(value)];
      });
      const words = [...op.cli.command.split(" "), ...flags, "--json"];
      const env = { INBOX_DB: hub.db, INBOX_TOKEN: scene.tokens[scope] };
      const { json } = await (isForWarm(op)
        ? runWarm(words, { env })
        : run(words, { program: [op.cli.program === "orch" ? orch : program], env }));
      return json.error?.code;
    });
    expect(wrong).toEqual([]);
  });
});

describe("the bus as a whole", () => {
  test("[X10] operations on the bus are for the named scopes, operations that start programs for leaders", async () => {
    for (const op of table as readonly AnyOperation[]) {
      if (!Array.isArray(op.http) || "by" in op.access) continue;
      for (const scope of scopes) {
        const { access } = op;
        const allowed =
          access.on === "bus"
            ? access.scopes.includes(scope)
            : access.on === "person"
              ? allows(scope, "person", access.does)
              : !("starts" in access) || scope !== "worker";
        // Wrong input on purpose: it is looked at afterwards, and nothing waits.
        const [route, body] = requestOf(op.http[0], { ...meIn(op.http[0]), odd: 1 });
        const { json } = await hub.as(scene.tokens[scope])(route, body);
        expect([op.name, scope, json.error?.code]).toEqual([
          op.name,
          scope,
          allowed ? "invalid_input" : "not_allowed",
        ]);
      }
    }
  });

  test("[X10] the policy is what SPEC.md says", () => {
    expect(policy.worker).toEqual({ own: "change", open: "change", person: null, other: null });
    expect(policy.leader).toMatchObject({ person: "read", other: "change" });
    expect(policy.user).toMatchObject({ person: "change", other: "read" });
    expect(new Set(Object.values(policy.admin))).toEqual(new Set(["change"]));
  });
});

describe("side doors", () => {
  const worker = () => hub.as(scene.tokens.worker);

  test("[X10] a worker cannot mark the person's entry as read by confirming a hand-over that it made up", async () => {
    const id = await scene.fresh("entry", "person's", "worker");
    const receipt = { of: "entry", agent: agentOf("worker"), id };
    const { status } = await worker()("POST /api/hand-overs/confirm", receipt);
    expect(status).toBe(403);
    expect((await inbox.call("entries.show", { id: String(id) })).entry.readAt).toBeNull();
  });

  test("[X10] nor by acking the message that it is, alone or with all of that inbox", async () => {
    const id = await scene.fresh("message", "person's", "worker");
    expect((await worker()(`POST /api/messages/${id}/ack`, {})).status).toBe(403);
    expect((await worker()("POST /api/messages/inbox/user/ack", {})).status).toBe(403);
    expect((await inbox.call("messages.status", { id: Number(id) })).ackedAt).toBeNull();
  });

  test("[X10] the terminal's routes and MCP's resources show no other inbox", async () => {
    expect((await worker()("GET /terminals/other/inbox/messages")).status).toBe(403);
    const read = (uri: string) => visitors.worker.client.readResource({ uri });
    const thread = await scene.fresh("thread", "other's", "worker");
    const message = await scene.fresh("message", "other's", "worker");
    for (const uri of [
      "inbox://agents/other/inbox",
      "inbox://agents/user/inbox",
      `inbox://threads/${thread}`,
      `inbox://messages/${message}`,
    ])
      await expect(read(uri)).rejects.toThrow(/may not read/);
    await read(`inbox://agents/${agentOf("worker")}/inbox`);
  });

  test("[X10] nor does it hear of changes there: a subscription needs what reading needs", async () => {
    const headers = { authorization: `Bearer ${scene.tokens.worker}` };
    await using older = await overHttp(`${hub.url}/mcp`, "2025-11-25", headers);
    const thread = await scene.fresh("thread", "other's", "worker");
    for (const uri of [
      "inbox://agents/other/inbox",
      "inbox://agents/user/inbox",
      `inbox://threads/${thread}`,
    ]) {
      await expect(older.client.subscribeResource({ uri })).rejects.toThrow(/may not read/);
      await expect(visitors.worker.client.listen({ resourceSubscriptions: [uri] })).rejects.toThrow();
    }
    const own = `inbox://agents/${agentOf("worker")}/inbox`;
    await older.client.subscribeResource({ uri: own });
    const listening = await visitors.worker.client.listen({ resourceSubscriptions: [own] });
    await listening.close();
  });

  test("[X10] a pool that is an agent's name cannot be joined to get at its work", async () => {
    await scene.fresh("thread", "other's", "worker");
    for (const name of ["other", "user"])
      expect((await worker()(`POST /api/pools/${name}/join`, {})).status).toBe(403);
    const { threads } = (await worker()(`GET /api/agents/${agentOf("worker")}/threads`)).json;
    expect(threads.every((one: { assignedTo: string }) => one.assignedTo !== "other")).toBe(true);
  });

  test("[X10] without a token nothing of this holds: everybody on this machine is the same person", async () => {
    await using open = await hubHere({ supervise: false });
    await open.ask("POST /api/tokens", { agent: "w", scope: "worker" });
    await open.ask("POST /api/messages", { channel: "user", content: "x", sender: "w" });
    expect((await open.ask("POST /api/messages/1/ack", { agent: "w" })).status).toBe(200);
  });
});

test("[A13] with a token it takes the right to change the task; without the flag a message is everybody's to send", () => {
  const { access } = mailboxSend;
  expect(targetsOf(access, { to: "t", interrupt: true }, false)).toEqual([
    { kind: "task", id: "t", does: "change" },
  ]);
  expect(targetsOf(access, { to: "t", interrupt: false }, false)).toEqual([]);
});
