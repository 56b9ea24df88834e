/** The reference in docs/generated/, made from the operation table. */
import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import { errorTable } from "../src/contract/errors.ts";
import { eventTypes } from "../src/contract/event.ts";
import { infoOf } from "../src/contract/fields.ts";
import type { AnyOperation, ToolForm } from "../src/contract/operation.ts";
import { table } from "../src/contract/operations/index.ts";
import { asInPrograms, type Spelling, spelledWhole } from "../src/contract/phrase.ts";
import { flagsOf, globalFlags } from "../src/surfaces/cli/flags.ts";
import { plainWords } from "../src/surfaces/cli/help.ts";
import { inRequests } from "../src/surfaces/spelling/rest.ts";
import { inShell } from "../src/surfaces/spelling/shell.ts";
import { argumentName, inTools } from "../src/surfaces/spelling/tools.ts";
import { version } from "../src/version.ts";
import { arrowDoc } from "./arrow-doc.ts";
import { enginesDoc } from "./engines-doc.ts";
import { guaranteesDoc } from "./guarantees-doc.ts";
import { failure, ownPaths } from "./own-paths.ts";
import { policyDoc } from "./policy-doc.ts";

const operations = table as readonly AnyOperation[];
const warning = "<!-- Made by `npm run docs` from src/contract; do not edit. -->\n";
const cell = (text: string) => text.replaceAll("|", "\\|");
export const tableOf = (head: string[], rows: string[][]) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

/** Names of fields stand out from the words around them. */
const inReferenceOf =
  (spelling: Spelling): Spelling =>
  (reference) =>
    reference.is === "field" ? `\`${spelling(reference)}\`` : spelling(reference);
const inReference = inReferenceOf(inRequests);

export const reference: Record<string, () => string> = {
  "commands.md": commands,
  "errors.md": errors,
  "events.md": events,
  "operations.json": schemas,
  "openapi.json": openapi,
  "../../ARCHITECTURE.md": arrowDoc,
  "../engines.md": enginesDoc,
  "../guarantees.md": guaranteesDoc,
  "../hub.md": policyDoc,
  "tools.json": toolsFile,
};

function commands(): string {
  const everywhere = globalFlags.map(({ name, short, value, help }) => [
    `\`${[short, name].filter(Boolean).join(", ")}${value ? ` ${value}` : ""}\``,
    help,
  ]);
  return `${warning}
# Commands

${operations.map(commandSection).join("\n")}
## Everywhere

${tableOf(["flag", "meaning"], everywhere)}
`;
}

export function commandSection(op: AnyOperation): string {
  const flags = flagsOf(op).map(({ name, value, help }) => [`\`${name}${value ? ` ${value}` : ""}\``, help]);
  const parts = [
    `## \`${[op.cli.program ?? "inbox", op.cli.command, plainWords(op)].filter(Boolean).join(" ")}\``,
    `${op.summary}.${op.detail ? ` ${spelledWhole(op.detail, inShell(op))}` : ""} (operation \`${op.name}\`, ${op.kind})`,
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
    spelledWhole(hint, inShell()),
  ]);
  return `${warning}\n# Errors\n\n${tableOf(["code", "exit", "HTTP", "try again", "usual hint, on the command line"], rows)}\n`;
}

function events(): string {
  const rows = Object.entries(eventTypes).map(([type, meaning]) => [`\`${type}\``, meaning]);
  return `${warning}\n# Events\n\n${tableOf(["type", "when, and what its payload carries"], rows)}\n`;
}

type Json = { properties?: Record<string, Json>; items?: Json; [key: string]: unknown };
type Shape = { entries?: Record<string, Shape>; wrapped?: Shape; item?: Shape; pipe?: readonly Shape[] };

/** `spelling`: how the surface that the schema is for writes what a description refers to. */
export function jsonSchema(schema: v.GenericSchema, spelling: Spelling): unknown {
  const { $schema, ...converted } = toJsonSchema(schema, {
    typeMode: "input",
    errorMode: "ignore",
    target: "draft-2020-12", // as OpenAPI 3.1 has it
  });
  return annotated(schema as Shape, converted as Json, spelling);
}

/** Adds what fields tell of themselves: their help, and what hand-written conditions check. */
function annotated(shape: Shape, json: Json, spelling: Spelling): Json {
  const inner = shape.wrapped ?? shape;
  const field = infoOf(inner);
  const base = inner.pipe?.[0] ?? inner;
  if (field) json.description = spelledWhole(field.help, spelling);
  if (field?.type === "json" && json.type !== "array") json.type = "object";
  if (field?.type === "integer" || field?.type === "number") {
    const form = { type: field.type, minimum: field.minimum, maximum: field.maximum };
    Object.assign(json, field.also ? { anyOf: [form, ...field.also] } : form);
  }
  for (const [key, entry] of Object.entries(base.entries ?? {}))
    annotated(entry, json.properties?.[key] ?? {}, spelling);
  if (base.item) annotated(base.item, json.items ?? {}, spelling);
  return json;
}

/** Tools as a model sees them. It pays for every character in every turn, so what it does not need is left out. */
function toolsFile(): string {
  const entries = operations.flatMap((op) => ("tool" in op.mcp ? [[op.mcp.tool, toolOf(op, op.mcp)]] : []));
  return `${JSON.stringify(Object.fromEntries(entries), null, 1)}\n`;
}

function toolOf(op: AnyOperation, form: ToolForm): unknown {
  const { properties = {}, required = [] } = jsonSchema(op.input(), inTools(op)) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  const shown = Object.entries(properties).filter(([key]) => !form.without?.includes(key));
  const called = (key: string) => argumentName(op, key);
  const needed = [...required, ...(form.needs ?? [])]
    .filter((key) => key !== op.cli.identity && !form.without?.includes(key))
    .map(called);
  return {
    name: form.tool,
    description: form.use,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(
        shown.map(([key, schema]) => [
          called(key),
          { ...(key === "timeoutSeconds" ? waitField : brief(schema)), ...said(form, key) },
        ]),
      ),
      ...(needed.length && { required: needed }),
      additionalProperties: false,
    },
    annotations: {
      // What is left out is what the protocol assumes.
      ...(op.kind === "read" && { readOnlyHint: true }),
      ...(op.kind !== "read" && !form.destructive && { destructiveHint: false }),
      ...(form.idempotent && { idempotentHint: true }),
    },
  };
}

/** [C10] What the tool itself says of a field goes before the help of the command line. */
const said = ({ says }: ToolForm, key: string) =>
  says?.[key] === undefined ? {} : { description: says[key] };

/** [W3] Over MCP a wait is as long as over HTTP. */
const waitField = { type: "number", description: "seconds, at most 600 (default 50)" };

/** Of a number that has other forms as well, a model needs only the number. */
const mainForm = ({ anyOf }: Json): Json => {
  const [first, ...others] = (anyOf ?? []) as Json[];
  return first?.type !== undefined && first.minimum !== undefined && others.length
    ? { anyOf: undefined, type: first.type }
    : {};
};

/** Limits and lengths are checked, and said when they are passed; a model needs type, choice and meaning. */
function brief(whole: Json): Json {
  const schema = { ...whole, ...mainForm(whole) };
  const {
    type,
    enum: choices,
    items,
    description,
    anyOf,
    properties,
    required,
  } = schema as Json & {
    items?: Json;
    properties?: Record<string, Json>;
  };
  const text = String(description ?? "").replace(/ \(default: [^)]*\)/, "");
  return {
    ...(type !== undefined && { type }),
    ...(choices !== undefined && { enum: choices }),
    ...(anyOf !== undefined && { anyOf }),
    ...(items && { items: brief({ ...items, description: undefined } as Json) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, brief(inner)])),
      ...(required !== undefined && { required }),
    }),
    ...(text && { description: text }),
  } as Json;
}

function schemas(): string {
  const all = operations.map(({ name, kind, access, summary, input, output, errors }) => ({
    name,
    kind,
    access,
    summary,
    errors,
    input: jsonSchema(input(), inReferenceOf(asInPrograms)),
    output: jsonSchema(output(), inReferenceOf(asInPrograms)),
  }));
  return `${JSON.stringify(all, null, 1)}\n`;
}

/** Every route of the table. Path fields are parameters, the rest is the query of a GET and the body of a POST. */
function openapi(): string {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const op of operations) {
    if (!Array.isArray(op.http)) continue;
    for (const [i, route] of op.http.entries()) {
      const [method, path] = route.split(" ") as [string, string];
      const place = path.replace(/:(\w+)/g, "{$1}");
      paths[place] = { ...paths[place], [method.toLowerCase()]: pathItem(op, method, path, i) };
    }
  }
  Object.assign(paths, ownPaths);
  const info = {
    title: "Restante",
    version,
    description: "One durable bus for agents. Errors: {ok: false, error: {code, message, hint}}.",
  };
  const security = { securitySchemes: { token: { type: "http", scheme: "bearer" } } };
  return `${JSON.stringify({ openapi: "3.1.0", info, paths, components: { ...security, schemas: { Error: errorSchema } } }, null, 1)}\n`;
}

const errorSchema = {
  type: "object",
  required: ["ok", "error"],
  properties: {
    ok: { const: false },
    error: {
      type: "object",
      required: ["code", "message", "hint"],
      properties: {
        code: { enum: Object.keys(errorTable) },
        message: { type: "string" },
        hint: { type: "string" },
        details: { type: "object" },
        said: {
          type: "object",
          description: "where x-inbox-client was sent: message and hint, with what they refer to as data",
        },
      },
    },
  },
};

function pathItem(op: AnyOperation, method: string, path: string, index: number): unknown {
  const { properties = {}, required = [] } = jsonSchema(op.input(), inReference) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  const inPath = [...path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
  const rest = Object.entries(properties).filter(([key]) => !inPath.includes(key));
  const parameters = [
    ...inPath.map((name) => ({ name, in: "path", required: true, schema: properties[name] })),
    ...(method === "GET"
      ? rest.map(([name, schema]) => ({ name, in: "query", required: required.includes(name), schema }))
      : []),
  ];
  const needed = required.filter((key) => !inPath.includes(key) && key !== op.cli.identity);
  const schema = {
    type: "object",
    properties: Object.fromEntries(rest),
    ...(needed.length && { required: needed }),
    additionalProperties: false,
  };
  const failures = [...new Set(op.errors.map((code) => String(errorTable[code].http)))].sort();
  return {
    operationId: index ? `${op.name}.${index}` : op.name,
    summary: op.summary,
    ...(op.detail && { description: spelledWhole(op.detail, inReference) }),
    ...(parameters.length && { parameters }),
    ...(method !== "GET" && { requestBody: { content: { "application/json": { schema } } } }),
    responses: {
      [op.creates ? 201 : 200]: {
        description: op.creates ? "it was made" : "the answer",
        content: { "application/json": { schema: answerSchema(op) } },
      },
      ...Object.fromEntries(failures.map((status) => [status, { description: "a refusal", ...failure }])),
      default: { description: "a refusal", ...failure },
    },
  };
}

/** What an answer has beyond the operation's own: how a repeated write is told, and what a hand-over is confirmed by. */
function answerSchema(op: AnyOperation): unknown {
  const schema = jsonSchema(op.output(), inReference) as Json;
  const more: Json =
    op.kind === "write"
      ? { deduplicated: { type: "boolean", description: "whether the same key had been used before" } }
      : { handOver: { type: "object", description: "what to confirm, where x-inbox-hand-over was sent" } };
  return schema.type === "object" ? { ...schema, properties: { ...schema.properties, ...more } } : schema;
}
