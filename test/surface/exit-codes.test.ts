/** [C3.1] Which commands exit with 10 is decided in one place, the table of operations, and SPEC.md names them. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { table } from "../../src/contract/operations/index.ts";
import { flagsOf } from "../../src/surfaces/cli/flags.ts";
import { root } from "../support/cli.ts";
import { isForWarm, runWarm, warmDesk } from "../support/warm.ts";

const operations = table as readonly AnyOperation[];

test("[C3.1] the commands that SPEC.md names for exit code 10 are those that can have it", () => {
  const row = /^\| 10 \|.*$/m.exec(readFileSync(join(root, "SPEC.md"), "utf8"))![0];
  const named = [...row.matchAll(/`([^`]+)`/g)].map(([, command]) => command!.replace(" --wait", ""));
  const declared = operations.filter(({ nothing }) => nothing).map(({ command }) => command);
  expect(named.toSorted()).toEqual(declared.toSorted());
});

/** What a reader of an empty bus can ask for; other inputs name something that must be there. */
const given: Record<string, string> = { channel: "c", correlationId: "x", q: "x" };

const argumentsOf = (op: AnyOperation): string[] | undefined => {
  const required = flagsOf(op).filter(({ field, role }) => role === "value" && field.required);
  const values = required
    .filter(({ field }) => field.key !== op.cli.identity)
    .map(({ field }) => given[field.key]);
  if (values.includes(undefined)) return undefined;
  const identity = op.cli.identity === undefined ? [] : ["--agent", "w"];
  return [...op.command.split(" "), ...(values as string[]), ...identity];
};

test("[C3.1] on an empty bus every command that lists what there is exits 0, as text and as JSON; those of the table 10", async () => {
  using at = await warmDesk();
  const reads = operations.filter(({ kind }) => kind === "read").filter(isForWarm);
  const tried: string[] = [];
  for (const op of reads) {
    const args = argumentsOf(op);
    if (!args) continue;
    const program = op.cli.program === "orch" ? "orch" : "inbox";
    for (const json of [[], ["--json"]]) {
      const { code } = await runWarm([...args, ...json], { cwd: at.path }, program);
      expect([args, json, code]).toEqual([args, json, op.nothing ? 10 : 0]);
    }
    tried.push(op.name);
  }
  expect(tried).toEqual(
    expect.arrayContaining([
      "messages.inbox",
      "mailbox.list",
      "threads.list",
      "threads.fetch",
      "search.find",
    ]),
  );
  expect(tried.length).toBeGreaterThan(15);
});
