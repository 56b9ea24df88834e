/** [C5] The tools, from the operation table: which exist, what each takes, and how a call becomes an input. */
import tools from "../../../docs/generated/tools.json";
import { InboxError } from "../../contract/errors.ts";
import { infoOf } from "../../contract/fields.ts";
import type { AnyOperation, ToolForm, ToolListing } from "../../contract/operation.ts";
import { table } from "../../contract/operations/index.ts";
import { fieldCalled } from "../../contract/other-names.ts";
import { didYouMean, meant } from "../../contract/suggest.ts";
import { type Caller, mayUse } from "../../inbox/caller.ts";
import { argumentName } from "../spelling/tools.ts";
import { hasTxName, withoutTxName, withTxName } from "./tx-names.ts";

export interface Tool {
  op: AnyOperation;
  form: ToolForm;
  /** As `tools/list` shows it; generated together with the documents. */
  shown: Shown;
}

interface Shown {
  name: string;
  description: string;
  inputSchema: {
    type: "object";
    properties: Record<string, object>;
    required?: string[];
    additionalProperties: false;
  };
  annotations: object;
}

/** Names of tools in earlier protocols. */
const otherNames: Readonly<Record<string, string>> = { send: "send_message" };

interface Habit {
  tool: string;
  /** Former names of arguments. */
  renamed?: Readonly<Record<string, string>>;
  given?: Readonly<Record<string, unknown>>;
}

/** Names of tools in other systems: they work, and the answer says which name to use. */
const habits: Readonly<Record<string, Habit>> = {
  agent_profile: { tool: "profiles" },
  claim_task: { tool: "claim", renamed: { task_id: "thread", thread_id: "thread", id: "thread" } },
  list_tasks: { tool: "list" },
  notify_user: {
    tool: "send_message",
    renamed: { text: "message", content: "message", body: "message" },
    given: { receiver_id: "user" },
  },
};

/** The same for arguments, in any tool that has ours. */
const otherFields: Readonly<Record<string, string>> = { agent_profile: "profile" };

const all = new Map<string, Tool>();
for (const op of table as readonly AnyOperation[])
  if ("tool" in op.mcp) {
    const { mcp: form } = op;
    all.set(form.tool, { op, form, shown: (tools as unknown as Record<string, Shown>)[form.tool]! });
  }

export interface Choice {
  /** The sets that were chosen. */
  sets?: readonly ToolListing[];
  inWorkspace: boolean;
  /** What the caller's token allows. */
  caller: Caller;
}

/** The tools that are offered: those of the chosen sets, else those for the token's scope, else the default ones. */
export function toolsOf({ sets, inWorkspace, caller }: Choice): Tool[] {
  // A sub-agent may lead the sub-agents that it starts.
  const scope = caller.subAgent ? "leader" : caller.scope;
  const offered = [...all.values()].filter((tool) => {
    const { op, form } = tool;
    if (!mayUse(caller, op)) return false;
    // [U1] An agent can push to the person only from its workspace.
    if (form.set === "user") return inWorkspace;
    if (sets) return sets.includes(form.set) || (sets.includes("tx") && hasTxName(tool));
    return scope === "worker" || scope === "leader" ? form.usualFor?.includes(scope) : form.usual;
  });
  const asTx = sets?.includes("tx") && !sets.includes("messages");
  return asTx ? offered.map(withTxName) : offered;
}

export interface Named {
  tool: Tool;
  args: Record<string, unknown>;
  /** The name to use next time. */
  note?: string;
}

/** Every tool can be called, listed or not: the list only saves a model tokens, and protects nothing. */
export function toolNamed(name: string, args: Record<string, unknown>): Named | undefined {
  const habit = Object.hasOwn(habits, name) ? habits[name] : undefined;
  if (habit) return byHabit(name, habit, args);
  const plain = withoutTxName(name);
  const found = all.get(Object.hasOwn(otherNames, plain) ? otherNames[plain]! : plain);
  return found && { tool: found, args };
}

function byHabit(name: string, { tool, renamed, given = {} }: Habit, args: Record<string, unknown>): Named {
  const ours = Object.entries(args).map(([key, value]) => [renamed?.[key] ?? key, value]);
  const extra = Object.entries(given).map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  const note = `${name} is called ${[tool, ...extra].join(" with ")} here`;
  return { tool: all.get(tool)!, args: { ...Object.fromEntries(ours), ...given }, note };
}

/** The error for a call of an unknown tool. */
export function noTool(name: string): string {
  const guess = didYouMean(name, [...all.keys()]);
  return `unknown tool "${name}"; ${guess || "tools/list lists the tools"}`;
}

/** If the caller is known, the field that names the caller is left out: it could only be wrong. */
export function shownTo({ op, form, shown }: Tool, known: boolean): Shown {
  const key = op.cli.identity;
  if (key === undefined) return shown;
  const field = form.renamed?.[key] ?? key;
  const { [field]: identity, ...others } = shown.inputSchema.properties;
  const told = identity && { ...identity, description: `who you are (default: ${nobodyIn(op)})` };
  const properties = known ? others : { ...shown.inputSchema.properties, ...(told && { [field]: told }) };
  return { ...shown, inputSchema: { ...shown.inputSchema, properties } };
}

/** [C9] The caller's name if nothing gives one: `main`, and in the channel protocol the name of the surface. */
export const nobodyIn = ({ cli }: AnyOperation): string =>
  cli.shape === "channel" ? "mcp" : (cli.identityDefault ?? "main");

/** Turns a call's arguments into the operation's input. */
export function inputOf({ op, form }: Tool, given: Record<string, unknown>): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  const ours = new Map(Object.entries(form.renamed ?? {}).map(([field, shown]) => [shown, field]));
  for (const [key, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue;
    const field = ours.get(key) ?? camel(habitual(op, key));
    if (!op.input().entries[field]) refuseTypo({ op, form }, key);
    input[field] = isJson(op, field) && typeof value === "string" ? parsed(value) : value;
  }
  return input;
}

/** A mistyped argument is reported before the one that is missing because of it. */
function refuseTypo({ op, form }: Pick<Tool, "op" | "form">, key: string): void {
  const known = Object.keys(op.input().entries).filter((field) => !form.without?.includes(field));
  const called = fieldCalled(op, key);
  const guess =
    called !== undefined && known.includes(called)
      ? meant([argumentName(op, called)])
      : didYouMean(
          key,
          known.map((field) => argumentName(op, field)),
        );
  if (guess) throw new InboxError("invalid_input", `there is no field ${key}; ${guess}`);
}

const habitual = (op: AnyOperation, key: string) =>
  Object.hasOwn(otherFields, key) && op.input().entries[otherFields[key]!] ? otherFields[key]! : key;

/** [M10] An object may also be given as a string that contains one. */
const isJson = (op: AnyOperation, key: string) => {
  const schema = op.input().entries[key];
  if (!schema) return false;
  return infoOf(schema.wrapped ?? schema)?.type === "json";
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // the schema reports what is wrong with it
  }
}

/** Fields can be written both ways: `lease_seconds` as in the protocols, `leaseSeconds` as in the table. */
const camel = (key: string) => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
