/** [X10] The table in docs/hub.md: what a token of each scope may do, from the operation table and the policy. */
import { type Access, policy, relations } from "../src/contract/access.ts";
import type { AnyOperation } from "../src/contract/operation.ts";
import { table } from "../src/contract/operations/index.ts";
import { scopes } from "../src/contract/token.ts";
import { withMadeSection } from "./made-section.ts";

const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const lines = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");

const policyTable = () =>
  lines(
    ["scope", ...relations],
    scopes.map((scope) => [`\`${scope}\``, ...relations.map((relation) => policy[scope][relation] ?? "–")]),
  );

/** What an operation acts on, in a few words; the same words stand together in one row. */
function actsOn(access: Access): string {
  switch (access.on) {
    case "everybody":
      return "data that every scope may read";
    case "bus":
      return `the whole bus; allowed for ${access.scopes.map((scope) => `\`${scope}\``).join(", ")}`;
    case "own":
      return access.starts
        ? "the caller's own things; a `worker` only if it is a sub-agent"
        : "the caller's own things";
    case "visible":
      return "everything; the answer contains only what the caller may read";
    case "assignment":
      return `${access.does} the assignment of the named thread`;
    case "person":
      return `${access.does} the person's inbox`;
    default:
      return `${access.does} the named ${access.on}${access.forced ? `; with \`force\`, its ${access.forced}` : ""}${access.starts ? "; a `worker` only if it is a sub-agent" : ""}`;
  }
}

function operationTable(): string {
  const groups = Map.groupBy(
    (table as readonly AnyOperation[]).filter(({ kind }) => kind !== "local"),
    ({ access }) => actsOn(access),
  );
  return lines(
    ["acts on", "operations"],
    [...groups].map(([words, ops]) => [words, ops.map(({ name }) => `\`${name}\``).join(", ")]),
  );
}

export const policyDoc = () =>
  withMadeSection("docs/hub.md", "src/contract/access.ts", `${policyTable()}\n\n${operationTable()}`);
