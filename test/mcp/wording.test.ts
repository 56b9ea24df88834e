/** [C10] What a model reads: tools, arguments, refusals and prompts in its own words. */
import { describe, expect, test } from "bun:test";
import tools from "../../docs/generated/tools.json";
import { errorTable, InboxError } from "../../src/contract/errors.ts";
import { type AnyOperation, toolSets } from "../../src/contract/operation.ts";
import { table } from "../../src/contract/operations/index.ts";
import { blank, call, field, phrase, type Text } from "../../src/contract/phrase.ts";
import { inModelsWords } from "../../src/surfaces/mcp/wording.ts";
import { hubHere } from "../support/hub.ts";
import { overHttp } from "../support/mcp.ts";

/** A flag, or a command of ours: a model has no shell. */
const commands = (table as readonly AnyOperation[]).map(({ cli }) => cli.command.split(" ")[0]).join("|");
const shell = new RegExp(`(^|[\\s"'(])--[a-z]|\\b(inbox|orch) (${commands}|shell)\\b(?!_)|\\bINBOX_`);

interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
}

const entries = Object.entries(
  tools as unknown as Record<string, { description: string; inputSchema: Schema }>,
);

describe.each(entries)("%s", (name, { description, inputSchema }) => {
  test("[C10] speaks of tools and arguments, and says what every argument is", () => {
    expect(description).not.toMatch(shell);
    for (const [field, { description: said }] of Object.entries(inputSchema.properties ?? {})) {
      expect([name, field, said?.length ?? 0]).toEqual([name, field, expect.any(Number)]);
      expect([name, field, said ?? ""]).not.toEqual([name, field, ""]);
      expect([name, field, said]).not.toEqual([name, field, `the ${field}`]);
      expect(`${said} `).not.toMatch(shell);
    }
  });
});

test("[C10] arguments that a caller must give are required, descriptions say which belong together, and items show their fields", () => {
  const schemaOf = (name: string) =>
    (tools as unknown as Record<string, { inputSchema: Schema }>)[name]!.inputSchema;
  expect(schemaOf("send_task").required).toEqual(["to", "subject"]);
  expect(schemaOf("fail").required).toEqual(["thread", "summary"]);
  expect(schemaOf("handoff").properties!.message!.description).toContain("terminal_id");
  expect(schemaOf("claim").properties!.timeout_seconds!.description).toContain("with wait");
  expect(schemaOf("inbox_push").properties!.docs).toMatchObject({
    items: { properties: { path: { type: "string" } }, required: ["path"] },
  });
});

test("[C10] no usual hint names a flag or a command", () => {
  for (const code of Object.keys(errorTable) as (keyof typeof errorTable)[]) {
    const { hint } = inModelsWords(new InboxError(code, "x"));
    expect(`${hint} `).not.toMatch(shell);
    expect(hint).not.toBe("");
  }
});

test("[C10] a hint that names an operation names the tool; hints for people are left out", () => {
  const hintOf = (hint: Text) => inModelsWords(new InboxError("invalid_state", "x", { hint })).hint;
  expect(hintOf(phrase`claim it first: ${call("threads.claim", { thread: "thr_1" })}`)).toBe(
    'claim it first: claim {"thread": "thr_1"}',
  );
  expect(hintOf(phrase`add ${field("wait")}`)).toBe("add wait");
  const send = call("mailbox.send", { to: blank("AGENT"), message: blank("…") });
  expect(hintOf(phrase`${send} writes to anybody by name`)).toBe(
    'send_message {"receiver_id": AGENT, "message": "…"} writes to anybody by name',
  );
  expect(hintOf(phrase`${call("deadLetters.list")} shows them`)).toBe(
    'show {"thread": THREAD} shows the thread\'s state',
  );
  expect(
    hintOf(phrase`${call("tasks.queue", { all: true })} shows them; ${call("bus.doctor")} tells more`),
  ).toBe('queue {"all": true} shows them');
  const untrusted = new InboxError("not_allowed", "no program was started", {
    hint: phrase`${call("bus.trust")} shows what would be run`,
    details: { untrusted: "bus" },
  });
  expect(inModelsWords(untrusted).hint).toBe(
    "only the person can approve it: inbox trust shows what would be run",
  );
});

test("[C10] a prompt names only tools that are listed", async () => {
  await using hub = await hubHere();
  const queries = ["", ...toolSets.map((set) => `&tools=${set}`), `&tools=${toolSets.join(",")}`];
  const offered: string[] = [];
  for (const query of queries) {
    await using lead = await overHttp(`${hub.url}/mcp?agent=lead${query}`, "2026-07-28");
    const listed = new Set((await lead.client.listTools()).tools.map(({ name }) => name));
    for (const { name } of (await lead.client.listPrompts()).prompts) {
      const { messages } = await lead.client.getPrompt({ name });
      const { text } = messages[0]!.content as { text: string };
      const named = [...text.matchAll(/`(\w+)`/g)].map((match) => match[1]!);
      expect(named.length).toBeGreaterThan(3);
      for (const tool of named)
        expect([query, name, tool, listed.has(tool)]).toEqual([query, name, tool, true]);
      offered.push(`${query}:${name}`);
    }
  }
  expect(offered).toContain(":work-as-a-worker");
  expect(offered).toContain(":lead-a-team");
  expect(offered).not.toContain("&tools=mailbox:work-as-a-worker");
});
