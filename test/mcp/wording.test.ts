/** [C10] What a model reads: tools, arguments, refusals and prompts in its own words. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import tools from "../../docs/generated/tools.json";
import { errorTable, InboxError } from "../../src/contract/errors.ts";
import { type AnyOperation, toolSets } from "../../src/contract/operation.ts";
import { table } from "../../src/contract/operations/index.ts";
import { inModelsWords } from "../../src/surfaces/mcp/wording.ts";
import { root } from "../support/cli.ts";
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

test("[C10] what a caller must give is required, what is needed together is said, and items show their fields", () => {
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

/** Every hint and message that the bus may refuse with, as it stands in the source; what is filled in becomes a word. */
function textsInSource(): string[] {
  const found: string[] = [];
  for (const folder of [
    "bus",
    "waiting",
    "contract",
    "orch",
    "engines",
    "inbox",
    "location",
    "admin",
    "platform",
    ".",
  ]) {
    const path = join(root, "src", folder);
    for (const file of readdirSync(path, { recursive: folder !== "." }) as string[]) {
      if (!file.endsWith(".ts")) continue;
      const text = readFileSync(join(path, file), "utf8");
      for (const [, said] of text.matchAll(/hint:\s*(?:[^"'`\n]*\?\s*)?["'`](.*?)["'`](?:,|\n| \}|\s*:)/g))
        found.push(said!.replace(/\$\{[^}]*\}/g, "thr_1"));
    }
  }
  return found;
}

test("[C10] no refusal names a flag or a command, whatever refused", () => {
  const texts = textsInSource();
  expect(texts.length).toBeGreaterThan(40);
  for (const hint of texts)
    for (const code of ["invalid_input", "not_found", "storage"] as const) {
      const said = inModelsWords(new InboxError(code, "a message", { hint }));
      expect(`${said.hint} `).not.toMatch(shell);
      expect(said.hint).not.toBe("");
    }
  for (const code of Object.keys(errorTable) as (keyof typeof errorTable)[])
    expect(`${inModelsWords(new InboxError(code, "x")).hint} `).not.toMatch(shell);
});

test("[C10] a hint that names a command names the tool", () => {
  const hintOf = (hint: string) => inModelsWords(new InboxError("invalid_state", "x", { hint })).hint;
  expect(hintOf("claim it first: inbox claim thr_1")).toBe("claim it first: claim thr_1");
  expect(hintOf("add --wait")).toBe("add wait");
  expect(hintOf('inbox send AGENT "…" writes to anybody by name')).toBe(
    'send_message AGENT "…" writes to anybody by name',
  );
  expect(hintOf("inbox dlq list shows them")).toBe("show tells where the thread stands");
  expect(hintOf("orch queue --all shows them; inbox doctor tells more")).toBe("queue all shows them");
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
