/** The reference in docs/generated/, made from the operation table. */
import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import { errorTable } from "../src/contract/errors.ts";
import { eventTypes } from "../src/contract/event.ts";
import type { FieldInfo } from "../src/contract/fields.ts";
import type { AnyOperation } from "../src/contract/operation.ts";
import { table } from "../src/contract/operations/index.ts";
import { flagsOf, globalFlags } from "../src/surfaces/cli/flags.ts";

const operations = table as readonly AnyOperation[];
const warning = "<!-- Made by `npm run docs` from src/contract; do not edit. -->\n";
const cell = (text: string) => text.replaceAll("|", "\\|");
const tableOf = (head: string[], rows: string[][]) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

export const reference: Record<string, () => string> = {
  "commands.md": commands,
  "errors.md": errors,
  "events.md": events,
  "operations.json": schemas,
};

function commands(): string {
  const everywhere = globalFlags.map(({ name, short, value, help }) => [
    `\`${[short, name].filter(Boolean).join(", ")}${value ? ` ${value}` : ""}\``,
    help,
  ]);
  return `${warning}
# Commands

${operations.map(command).join("\n")}
## Everywhere

${tableOf(["flag", "meaning"], everywhere)}
`;
}

function command(op: AnyOperation): string {
  const plain = (op.cli.plain ?? []).map((key) => ` [${key.toUpperCase()}]`).join("");
  const flags = flagsOf(op).map(({ name, value, help }) => [`\`${name}${value ? ` ${value}` : ""}\``, help]);
  const parts = [
    `## \`inbox ${op.cli.command}${plain}\``,
    `${op.summary}.${op.detail ? ` ${op.detail}` : ""} (operation \`${op.name}\`, ${op.kind})`,
    flags.length ? tableOf(["flag", "meaning"], flags) : "",
    `\`\`\`bash\n${op.examples.join("\n")}\n\`\`\``,
    op.errors.length ? `Refusals: ${op.errors.map((code) => `\`${code}\``).join(", ")}.` : "",
  ];
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}

function errors(): string {
  const rows = Object.entries(errorTable).map(([code, { exit, http, retryable, hint }]) => [
    `\`${code}\``,
    String(exit),
    String(http),
    retryable ? "yes" : "no",
    hint,
  ]);
  return `${warning}\n# Errors\n\n${tableOf(["code", "exit", "HTTP", "try again", "usual hint"], rows)}\n`;
}

function events(): string {
  const rows = Object.entries(eventTypes).map(([type, meaning]) => [`\`${type}\``, meaning]);
  return `${warning}\n# Events\n\n${tableOf(["type", "when, and what its payload carries"], rows)}\n`;
}

/** Numbers and user data are checked by hand-written conditions; what those are is said by the field's metadata. */
function cleaned(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(cleaned);
  if (typeof schema !== "object" || schema === null) return schema;
  const { field, $schema, ...rest } = schema as { field?: FieldInfo; $schema?: unknown };
  const checked =
    field?.type === "json"
      ? { type: "object" }
      : field?.type === "integer" || field?.type === "number"
        ? { type: field.type, minimum: field.minimum, maximum: field.maximum }
        : {};
  return {
    ...checked,
    ...Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, cleaned(value)])),
  };
}

const jsonSchema = (schema: v.GenericSchema) =>
  cleaned(toJsonSchema(schema, { typeMode: "input", errorMode: "ignore" }));

function schemas(): string {
  const all = operations.map(({ name, kind, scope, summary, input, output, errors }) => ({
    name,
    kind,
    scope,
    summary,
    errors,
    input: jsonSchema(input()),
    output: jsonSchema(output()),
  }));
  return `${JSON.stringify(all, null, 1)}\n`;
}
