/** What an operation is. The table of them all is operations/index.ts. */
import * as v from "valibot";
import type { Access } from "./access.ts";
import { type ErrorCode, InboxError } from "./errors.ts";
import { text, tooLarge } from "./fields.ts";
import { field, phrase, type Text } from "./phrase.ts";
import { closest } from "./suggest.ts";

export interface CliForm {
  /** The words that name it: `claim`, `pool join`. */
  command: string;
  /** Which program has the command: `inbox` (default), `orch`, or both. */
  program?: "orch" | "both";
  /** How the list of commands shows it, where another operation has the same words. */
  listed?: string;
  /** Of two operations with the same words: the flag without which the flags of this one are refused. */
  needs?: string;
  /** Also a slash command, though it is about the database itself. */
  slash?: true;
  /** Input fields that may also be given as plain arguments, in this order. */
  plain?: readonly string[];
  /** Where fewer are given than there are, the first ones are left out. */
  lastFirst?: boolean;
  /** The field that defaults to the caller's identity (`--agent`, `INBOX_AGENT`). */
  identity?: string;
  /** Who the caller is when nobody said. Without it an identity is required where the field is. */
  identityDefault?: string;
  /** A field that makes the answer a stream, one line per record, instead of one document; true if it always is. */
  stream?: string | true;
  /** `channel`: printed as it is, in camelCase and without `ok` and `command`, as the channel protocol says. */
  shape?: "channel";
  /** With the channel shape: the field of the answer that is printed instead of the whole. */
  bare?: string;
}

export const toolSets = ["mailbox", "worker", "supervisor", "messages", "permission", "user"] as const;
export type ToolSet = (typeof toolSets)[number];
/** What can be chosen to be listed: the sets, and `tx`, the tools of channels under that protocol's names. */
export const toolListings = [...toolSets, "tx"] as const;
export type ToolListing = (typeof toolListings)[number];

/** How a model calls it. The caller's identity is never a field of it where the caller is known. */
export interface ToolForm {
  tool: string;
  set: ToolSet;
  /** In the set that is offered unless somebody chooses. */
  usual?: boolean;
  /** Offered to the holder of a token of these scopes, unless somebody chooses. */
  usualFor?: readonly ("worker" | "leader")[];
  /** When to call it, and when something else. A model reads this in every turn: short. */
  use: string;
  /** It deletes, or ends what another wanted. */
  destructive?: boolean;
  /** The same call twice is as good as once. */
  idempotent?: boolean;
  /** Fields that are called otherwise here, as the protocols that came before call them. */
  renamed?: Readonly<Record<string, string>>;
  /** Fields that are not offered: a model has no use for them. They are understood all the same. */
  without?: readonly string[];
  /** Fields that are optional elsewhere, and that a model must give. */
  needs?: readonly string[];
  /** What a field is for in a model's words, where the help of the command line does not say it. */
  says?: Readonly<Record<string, string>>;
  /** Long texts of the answer are not cut: who asks for a part of a text wants that part. */
  whole?: true;
  /** `terminal`: the answer is shown as the protocol has it in which an agent is a terminal. `text`: it is its text and nothing else. */
  shape?: "terminal" | "text";
}

type FieldOf<I extends v.GenericSchema> = Extract<keyof v.InferInput<I>, string>;

export interface OperationForm<I extends v.GenericSchema, O extends v.GenericSchema> {
  name: string;
  /** read: changes nothing. write: one transaction. wait: may block. local: about the database itself. */
  kind: "read" | "write" | "wait" | "local";
  /** [X10] On what it acts: who may is decided by that, where tokens are used. */
  access: Access<FieldOf<I>>;
  summary: string;
  /** What a caller should know beyond the summary, in a sentence or two. */
  detail?: Text;
  input: () => I;
  output: () => O;
  errors: readonly ErrorCode[];
  cli: CliForm;
  /** Its routes, the first for everything, others for convenience; or why it has none. `:field` is an input field. */
  http: readonly [string, ...string[]] | { none: string };
  /** The tool it is over MCP, or why it is none. */
  mcp: ToolForm | { none: string };
  /** It makes something that was not there: 201 over HTTP. */
  creates?: boolean;
  /** [W3] Where it may block: which inputs block at all (all of them unless it says so). */
  waits?: {
    when?: (input: Record<string, unknown>) => boolean;
    /** Whether an answer ends the wait before its time is over (whenever something has matched, unless it says so). */
    over?: (output: v.InferOutput<O>) => boolean;
    /** Where it begins with what happens now: the field for the last event that was seen, to go on without a gap. */
    after?: FieldOf<I>;
    /** Where it begins something: what to ask for next, while there is no answer yet. */
    goesOn?: (input: Record<string, unknown>, output: v.InferOutput<O>) => Record<string, unknown>;
  };
  /** Of a read: the field that makes it change something, which no GET may; and [X2] the field that says whose, where a token must be theirs. */
  marks?: { with: FieldOf<I>; whose?: FieldOf<I> };
  /** True where an answer says that something is wrong with the database: exit code 50. */
  unwell?: (output: v.InferOutput<O>) => boolean;
  /** True where an answer is that what was to be done has failed: exit code 1. */
  failed?: (output: v.InferOutput<O>) => boolean;
  /** The exit code that an answer means, from 0 to 9, where it is neither of these. */
  exit?: (output: v.InferOutput<O>) => number;
  /** True where an answer means "nothing matched": exit code 10. */
  nothing?: (output: v.InferOutput<O>) => boolean;
  examples: readonly [string, ...string[]];
}

export function operation<const N extends string, I extends v.GenericSchema, O extends v.GenericSchema>(
  form: OperationForm<I, O> & { name: N },
): OperationForm<I, O> & { name: N } {
  return { ...form, input: once(form.input), output: once(form.output) };
}

/** Whether a read changes something this time. */
export const marking = ({ marks }: AnyOperation, input: Record<string, unknown>) =>
  marks !== undefined && input[marks.with] === true;

/** [M9] Every write may carry a key: the same key from the same sender is the same write. Nothing else may. */
export function checkKey(op: AnyOperation, key: string | undefined): void {
  if (key === undefined) return;
  if (op.kind !== "write")
    throw new InboxError("invalid_input", `${op.name} takes no idempotency key: it is no write`);
  const input = () => v.strictObject({ idempotencyKey: text("the key", { limit: 256 }) });
  parseInput({ name: op.name, input }, { idempotencyKey: key });
}

/** A schema is built when it is first asked for, and then kept. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the table holds operations of every shape
export type AnyOperation = OperationForm<any, any>;

/** Checks an input against its schema. */
export function parseInput<I extends v.GenericSchema>(
  op: { name: string; input: () => I },
  raw: unknown,
): v.InferOutput<I> {
  const parsed = v.safeParse(op.input(), raw, { abortEarly: true });
  if (parsed.success) return parsed.output;
  const issue = parsed.issues[0];
  const path = (issue.path ?? []).map((item) => String(item.key));
  const [head, ...rest] = path;
  if (issue.type === "strict_object" && (issue.input === undefined || issue.expected === "never")) {
    const known = rest.length ? [] : Object.keys((op.input() as { entries?: object }).entries ?? {});
    // What is missing is often there under a name that does not exist.
    const odd = issue.input === undefined ? strange(raw, known) : head;
    const guesses = odd === undefined ? [] : closest(odd, known);
    if (issue.input === undefined && !guesses.length)
      throw new InboxError("invalid_input", phrase`${placeOf(path)} is required`);
    const where = rest.length ? placeOf(path) : phrase`${field(odd!)}`;
    throw new InboxError("invalid_input", phrase`there is no field ${where}${meant(guesses)}`);
  }
  // What need not be given is better left out than given empty.
  const entry = (op.input() as { entries?: Record<string, { type: string }> }).entries?.[head ?? ""];
  const optional = issue.type === "min_length" && issue.input === "" && entry?.type === "optional";
  // A message that shows the value needs no position in a list.
  const where = issue.message.includes("got ") ? path.slice(0, 1) : path;
  throw new InboxError(
    issue.type === "max_bytes" || issue.message === tooLarge ? "too_large" : "invalid_input",
    phrase`${placeOf(where)} ${issue.message}${optional ? "; leave it out instead" : ""}`,
  );
}

/** [C15] Where in an input something is wrong: `item 2 of status`, `item 1 of docs: path`. */
function placeOf([head, ...rest]: readonly string[]): Text {
  if (head === undefined) return "the input";
  const at = rest.findLastIndex((key) => /^\d+$/.test(key));
  const items = rest
    .slice(0, at + 1)
    .toReversed()
    .map((key) => (/^\d+$/.test(key) ? `item ${Number(key) + 1} of ` : `${key} of `));
  const inside = rest.slice(at + 1).join(".");
  return phrase`${items.join("")}${field(head)}${inside && (at < 0 ? `.${inside}` : `: ${inside}`)}`;
}

function meant(guesses: readonly string[]): Text {
  const named = guesses.map((guess) => phrase`"${field(guess)}"`);
  return named.length ? phrase`; did you mean ${named.reduce((all, one) => phrase`${all} or ${one}`)}?` : "";
}

function strange(raw: unknown, known: readonly string[]): string | undefined {
  return known.length ? Object.keys(Object(raw)).find((key) => !known.includes(key)) : undefined;
}
