/** The reference of the documentation site: a page for each command, operation, event and error code, made from the table. */
import { errorTable } from "../../src/contract/errors.ts";
import { eventTypes } from "../../src/contract/event.ts";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { table } from "../../src/contract/operations/index.ts";
import { asInPrograms, spelledWhole } from "../../src/contract/phrase.ts";
import { inRequests } from "../../src/surfaces/spelling/rest.ts";
import { inShell } from "../../src/surfaces/spelling/shell.ts";
import { commandSection, jsonSchema, tableOf } from "../reference.ts";

const operations = table as readonly AnyOperation[];

/** Pages by their path, and how the sidebar lists them. */
export interface Pages {
  files: Map<string, string>;
  groups: { text: string; link: string; items: { text: string; link: string }[] }[];
}

const slug = (text: string) => text.replaceAll(/[^A-Za-z0-9-]+/g, "-").replace(/-$/, "");
const programOf = (op: AnyOperation) => op.cli.program ?? "inbox";
const commandPath = (op: AnyOperation) => `reference/commands/${programOf(op)}-${slug(op.cli.command)}`;
const operationPath = (op: AnyOperation) => `reference/operations/${op.name}`;
const eventPath = (type: string) => `reference/events/${type}`;
const errorPath = (code: string) => `reference/errors/${code}`;

const linked = (text: string, path: string) => `[${text}](/${path})`;
const errorLinks = (codes: readonly string[]) =>
  codes.map((code) => linked(`\`${code}\``, errorPath(code))).join(", ");

export function referencePages(): Pages {
  const files = new Map<string, string>();
  const section = <Each>(
    [text, folder]: [text: string, folder: string],
    each: readonly Each[],
    page: (one: Each) => [label: string, path: string, content: string],
  ) => {
    const items = each.map((one) => {
      const [label, path, content] = page(one);
      // Two operations share a command where it has two forms: they share its page.
      const before = files.get(`${path}.md`);
      files.set(`${path}.md`, before === undefined ? content : `${before}\n${content.replace(/^# /, "## ")}`);
      return before === undefined ? [{ text: label, link: `/${path}` }] : [];
    });
    const list = items.flat();
    files.set(
      `reference/${folder}/index.md`,
      `# ${text}\n\n${list.map(({ text: one, link }) => `- [${one.replaceAll("<", "&lt;")}](${link})`).join("\n")}\n`,
    );
    return { text, link: `/reference/${folder}/`, items: list };
  };
  const groups = [
    section(["Commands", "commands"], operations, commandPage),
    section(["Operations", "operations"], operations, operationPage),
    section(["Events", "events"], Object.entries(eventTypes), ([type, meaning]) => [
      type,
      eventPath(type),
      `# Event \`${type}\`\n\n${meaning}.\n\nFollow it with \`inbox watch --follow\`, \`GET /api/events\` or the SDK's \`events.follow\`.\n`,
    ]),
    section(["Errors", "errors"], Object.keys(errorTable) as (keyof typeof errorTable)[], errorPage),
  ];
  return { files, groups };
}

function commandPage(op: AnyOperation): [string, string, string] {
  const label = `${programOf(op)} ${op.cli.command}`;
  const also = `The same over REST, MCP and the SDK: ${linked(op.name, operationPath(op))}.`;
  return [label, commandPath(op), `${commandSection(op).replace(/^## /, "# ")}\n${also}\n`];
}

function operationPage(op: AnyOperation): [string, string, string] {
  const routes = Array.isArray(op.http)
    ? op.http.map((route) => `- \`${route}\``).join("\n")
    : `None: ${(op.http as { none: string }).none}.`;
  const tool = "tool" in op.mcp ? `Tool \`${op.mcp.tool}\`: ${op.mcp.use}` : `None: ${op.mcp.none}.`;
  const parts = [
    `# Operation \`${op.name}\``,
    `${op.summary}.${op.detail ? ` ${spelledWhole(op.detail, inRequests)}` : ""}`,
    `Command: ${linked(`\`${programOf(op)} ${op.cli.command}\``, commandPath(op))}. Kind: ${op.kind}.`,
    `## REST\n\n${routes}`,
    `## MCP\n\n${tool}`,
    ...(op.kind === "local" ? [] : [`## SDK\n\n\`await inbox.${op.name}({ … })\``]),
    `## Input\n\n${fields(op.input())}`,
    `## Output\n\n${fields(op.output())}`,
    op.errors.length ? `## Refusals\n\n${errorLinks(op.errors)}` : "",
  ];
  return [op.name, operationPath(op), `${parts.filter(Boolean).join("\n\n")}\n`];
}

type Schema = {
  properties?: Record<string, Schema>;
  required?: string[];
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  items?: Schema;
  anyOf?: Schema[];
};

function fields(schema: Parameters<typeof jsonSchema>[0]): string {
  const { properties = {}, required = [] } = jsonSchema(schema, asInPrograms) as Schema;
  const rows = Object.entries(properties).map(([key, field]) => [
    `\`${key}\`${required.includes(key) ? "" : "?"}`,
    typeOf(field),
    field.description ?? "",
  ]);
  return rows.length ? tableOf(["field", "type", "meaning"], rows) : "Nothing.";
}

function typeOf({ type, enum: choices, items, anyOf, properties }: Schema): string {
  if (choices) return choices.map((one) => `\`${JSON.stringify(one)}\``).join(", ");
  if (anyOf) return anyOf.map(typeOf).join(" or ");
  if (items) return `list of ${typeOf(items)}`;
  if (properties) return `{ ${Object.keys(properties).join(", ")} }`;
  return Array.isArray(type) ? type.join(" or ") : (type ?? "any");
}

function errorPage(code: keyof typeof errorTable): [string, string, string] {
  const { exit, http, retryable, hint } = errorTable[code];
  const by = operations.filter(({ errors }) => (errors as readonly string[]).includes(code));
  const rows = [
    ["exit code", String(exit)],
    ["HTTP status", String(http)],
    ["worth trying again", retryable ? "yes" : "no"],
    ["usual hint", spelledWhole(hint, inShell()) ?? ""],
  ];
  const raised = by.map((op) => linked(op.name, operationPath(op))).join(", ") || "any operation";
  return [
    code,
    errorPath(code),
    `# Error \`${code}\`\n\n${tableOf(["", ""], rows)}\n\nRaised by: ${raised}.\n`,
  ];
}
