/** Every operation is on every surface, or the table says why not. */
import { expect, test } from "bun:test";
import Ajv from "ajv/dist/2020.js";
import * as v from "valibot";
import { jsonSchema } from "../../scripts/reference.ts";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { table } from "../../src/contract/operations/index.ts";
import { asInPrograms } from "../../src/contract/phrase.ts";
import { namespaces } from "../../src/sdk/namespaces.ts";
import { operationsOf } from "../../src/surfaces/cli/commands.ts";
import { slashCommands } from "../../src/surfaces/cli/slash.ts";

const operations = table as readonly AnyOperation[];
/** What needs no open bus is about files and programs here. */
const isLocal = ({ kind }: AnyOperation) => kind === "local";

test("[C1] no operation is missing on a surface without a reason in the table", () => {
  for (const op of operations) {
    const program = op.cli.program === "orch" ? "orch" : "inbox";
    expect([op.name, operationsOf(op.cli.command, program).includes(op)]).toEqual([op.name, true]);
    const forms = { http: op.http, mcp: op.mcp } as Record<string, { none?: string }>;
    for (const [surface, { none }] of Object.entries(forms)) {
      if (none === undefined) continue;
      expect([op.name, surface, none.split(" ").length >= 3]).toEqual([op.name, surface, true]);
    }
    // Only what is about this machine may be missing at a hub: any command may be typed with --db http://…
    expect([op.name, "none" in op.http]).toEqual([op.name, isLocal(op)]);
  }
});

test("[C4.4] every value that a field accepts is one that its JSON Schema allows", () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const entry = "0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11";
  const values = [
    ...[0, 1, 12, 1.5, true, false, null, {}, [], ["a"], [{ path: "a.md" }]],
    ...["x", "12", "none", "msg_12", "thr_12", "task_12", entry, "200k", "2.50usd", "normal", "pending"],
  ];
  const odd: string[] = [];
  let accepted = 0;
  for (const op of operations) {
    const { properties } = jsonSchema(op.input(), asInPrograms) as { properties: Record<string, object> };
    for (const [key, schema] of Object.entries(op.input().entries as Record<string, v.GenericSchema>)) {
      const allows = ajv.compile(properties[key]!);
      for (const value of values) {
        if (!v.is(schema, value)) continue;
        accepted++;
        if (!allows(value)) odd.push(`${op.name} ${key} ${JSON.stringify(value)}`);
      }
    }
  }
  expect(accepted).toBeGreaterThan(1000);
  expect(odd).toEqual([]);
});

test("[C1] [C6] every operation on the bus is a method of the SDK", async () => {
  const called: string[] = [];
  const call = async (name: string) => {
    called.push(name);
    return { messages: [], message: {} };
  };
  const all = namespaces({ call, follow: () => {}, close: async () => {} } as never, {
    agent: "me",
    spelling: asInPrograms,
  }) as never as Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>;
  const expected = operations.filter((op) => !isLocal(op)).map(({ name }) => name);
  for (const name of expected) {
    const [prefix, method] = name.split(".") as [string, string];
    await all[prefix]![method]!({}, {});
  }
  expect(called).toEqual(expected);
});

test("[C1] [Q13] every operation on the bus is a command of the shell", () => {
  const meant = new Set([...slashCommands().values()].map(([program, command]) => `${program} ${command}`));
  for (const { cli } of operations.filter((op) => !isLocal(op)))
    for (const program of cli.program === "both" ? (["inbox"] as const) : [cli.program ?? "inbox"])
      expect(meant).toContain(`${program} ${cli.command}`);
});
