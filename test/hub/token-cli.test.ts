/** The command line with a token: whoever holds it is its agent, on a file and at a hub. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Desk, desk, run } from "../support/cli.ts";
import { type ServedHub, served } from "../support/hub.ts";

let at: Desk;
let hub: ServedHub;
let token: string;
beforeAll(async () => {
  at = await desk();
  token = (await at.inbox("token", "create", "--agent", "w", "--scope", "worker")).json.token;
  hub = await served(at.db, "--auth");
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  at[Symbol.dispose]();
});

const places = [
  { place: "file", db: () => at.db },
  { place: "hub", db: () => hub.url },
];

describe.each(places)("at a $place", ({ db }) => {
  const inbox = (args: string[], env: Record<string, string> = { INBOX_TOKEN: token }) =>
    run([...args, "--json", "--db", db()], { env });

  test("[X2] [C9] the caller is the token's agent, whatever the environment says", async () => {
    const env = { INBOX_TOKEN: token, INBOX_AGENT: "somebody" };
    expect((await inbox(["msg", "send", "c", "x"], env)).json.sender).toBe("w");
    expect((await inbox(["send", "x", "hello"], env)).json.message.from_agent).toBe("w");
    const sent = (await inbox(["send", "--to", "x", "--subject", "s"], env)).json;
    expect(sent.thread.created_by).toBe("w");
    expect((await inbox(["claim", sent.thread.thread_id], env)).json.thread.assigned_to).toBe("w");
    // Also where the name is a part of the address.
    expect((await inbox(["check"], env)).json).toMatchObject({ ok: true, command: "check" });
    expect((await inbox(["mail"], env)).json).toMatchObject({ ok: true, command: "mail" });
    expect((await inbox(["receive", "--timeout-seconds", "0"], env)).code).toBe(10);
  });

  test("[X2] [C3] another name on top of it is refused with exit 30", async () => {
    for (const args of [
      ["msg", "send", "c", "x", "--agent", "other"],
      ["msg", "send", "c", "x", "--sender", "other"],
      ["send", "--from", "other", "--to", "x", "--subject", "s"],
      ["send", "x", "hello", "--agent", "other"],
      ["claim", "--agent", "other"],
      ["receive", "--agent", "other", "--timeout-seconds", "0"],
      ["pool", "join", "p", "--agent", "other"],
    ]) {
      const { code, json } = await inbox(args);
      expect([args[0], code, json.ok, json.error?.code]).toEqual([args[0], 30, false, "not_allowed"]);
    }
  });

  test("[X2] its own name on top of it is fine, and --token is the same as INBOX_TOKEN", async () => {
    const { code, json } = await inbox(["msg", "send", "c", "x", "--agent", "w", "--token", token], {});
    expect([code, json.sender]).toEqual([0, "w"]);
  });

  test("[X2] an operation outside its scope, or an invalid token, is exit 30", async () => {
    const scope = await inbox(["token", "list"]);
    expect([scope.code, scope.json.error.code]).toEqual([30, "not_allowed"]);
    const none = await inbox(["list"], { INBOX_TOKEN: "rst_none" });
    expect([none.code, none.json.error.code]).toEqual([30, "unauthenticated"]);
  });
});

test("[X2] a hub that requires tokens refuses a caller without one, with exit 30", async () => {
  const { code, json } = await run(["list", "--json", "--db", hub.url]);
  expect([code, json.error.code]).toEqual([30, "unauthenticated"]);
});

test("[X2] watch --follow carries the token too", async () => {
  const refused = await run(["watch", "--follow", "--json", "--db", hub.url, "--timeout-seconds", "1"]);
  expect(refused.code).toBe(30);
  const args = [
    "watch",
    "--follow",
    "--after-event",
    "0",
    "--json",
    "--db",
    hub.url,
    "--timeout-seconds",
    "0.3",
  ];
  const { code, stdout } = await run(args, { env: { INBOX_TOKEN: token } });
  expect([code, stdout.includes('"event_id":1')]).toEqual([0, true]);
});
