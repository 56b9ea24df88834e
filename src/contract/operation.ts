/** What an operation is. The table of them all is operations/index.ts. */
import * as v from "valibot";
import type { Access } from "./access.ts";
import { type Combination, checkCombinations, defaultsOf, missingOf } from "./combinations.ts";
import { type ErrorCode, InboxError } from "./errors.ts";
import { fieldsOf, text, tooLarge } from "./fields.ts";
import { fieldsMeantBy, type OtherNames } from "./other-names.ts";
import { field, listed, phrase, type Text } from "./phrase.ts";
import type { Waits } from "./waiting.ts";

/** [C3.1] The exit codes that an answer may have by what it says: 0 to 9. */
export const answerCodes = 10;

export interface CliForm {
  /** The words that name it: `claim`, `pool join`. */
  command: string;
  /** Which program has the command: `inbox` (default), `orch`, or both. */
  program?: "orch" | "both";
  /** How the list of commands shows it, if another operation has the same words. */
  listed?: string;
  /** For one of two operations with the same words: the flag without which its other flags are refused. */
  needs?: string;
  /** Also a slash command, though it is about the database itself. */
  slash?: true;
  /** Input fields that may also be given as plain arguments, in this order. */
  plain?: readonly string[];
  /** If fewer are given than there are, the first ones are left out. */
  lastFirst?: boolean;
  /** The field that defaults to the caller's identity (`--agent`, `INBOX_AGENT`). */
  identity?: string;
  /** The default caller. Without it, an identity is required if the field is. */
  identityDefault?: string;
  /** A field that makes the answer a stream, one line per record, instead of one document; true if it always is. */
  stream?: string | true;
  /** `channel`: printed as it is, in camelCase and without `ok` and `command`, as the channel protocol requires. */
  shape?: "channel";
  /** A list, whose items the exit code tells apart: no more than it has values for (`answerCodes`). */
  codes?: string;
  /** With the channel shape: the field of the answer that is printed instead of the whole. */
  bare?: string;
}

export const toolSets = ["mailbox", "worker", "supervisor", "messages", "permission", "user"] as const;
export type ToolSet = (typeof toolSets)[number];
/** What can be chosen for the list: the sets, and `tx`, the tools of channels under that protocol's names. */
export const toolListings = [...toolSets, "tx"] as const;
export type ToolListing = (typeof toolListings)[number];

/** How a model calls it. The caller's identity is not a field if the caller is known. */
export interface ToolForm {
  tool: string;
  set: ToolSet;
  /** Part of the default set. */
  usual?: boolean;
  /** Offered by default to a token of these scopes. */
  usualFor?: readonly ("worker" | "leader")[];
  /** When to call it, and when to call another tool. A model reads this in every turn: keep it short. */
  use: string;
  /** It deletes, or ends work of others. */
  destructive?: boolean;
  /** Repeating the call has no further effect. */
  idempotent?: boolean;
  /** Fields that have other names here, as in earlier protocols. */
  renamed?: Readonly<Record<string, string>>;
  /** Fields that are not offered, because a model has no use for them. They are accepted nevertheless. */
  without?: readonly string[];
  /** Fields that are optional elsewhere, and that a model must give. */
  needs?: readonly string[];
  /** The description of a field for a model, if the help of the command line does not fit. */
  says?: Readonly<Record<string, string>>;
  /** Long texts of the answer are not cut: the caller has asked for a part of a text. */
  whole?: true;
  /** `terminal`: the answer has the shape of the protocol that calls an agent a terminal. `text`: it is only its text. */
  shape?: "terminal" | "text";
}

type FieldOf<I extends v.GenericSchema> = Extract<keyof v.InferInput<I>, string>;

export interface OperationForm<I extends v.GenericSchema, O extends v.GenericSchema> {
  name: string;
  /** The words that name it, as in `cli`. */
  command: string;
  /** read: changes nothing. write: one transaction. wait: may block. local: about the database itself. */
  kind: "read" | "write" | "wait" | "local";
  /** [X10] What it acts on: this decides who may call it, if tokens are used. */
  access: Access<FieldOf<I>>;
  summary: string;
  /** What a caller should know beyond the summary, in a sentence or two. */
  detail?: Text;
  input: () => I;
  /** [C17] Which fields exclude each other, or have no effect without another. */
  combinations?: readonly Combination<FieldOf<I>>[];
  output: () => O;
  errors: readonly ErrorCode[];
  cli: CliForm;
  /** Its routes, the first for everything, others for convenience; or why it has none. `:field` is an input field. */
  http: readonly [string, ...string[]] | { none: string };
  /** Its MCP tool, or why it has none. */
  mcp: ToolForm | { none: string };
  /** It creates something: 201 over HTTP. */
  creates?: boolean;
  /** [W3] For an operation that may block: which inputs block (by default all of them). */
  waits?: Waits<FieldOf<I>, v.InferOutput<O>>;
  /**
   * For a read: the field that makes it change something, which no GET may; and [X2] the field that says for whom,
   * who must own the token.
   */
  marks?: { with: FieldOf<I>; whose?: FieldOf<I> };
  /** True if an answer reports a problem with the database: exit code 50. */
  unwell?: (output: v.InferOutput<O>) => boolean;
  /** True if an answer reports that the work has failed: exit code 1. */
  failed?: (output: v.InferOutput<O>) => boolean;
  /** The exit code of an answer, from 0 to 9, if it is neither of these. */
  exit?: (output: v.InferOutput<O>) => number;
  /** [C3.1] True if an answer has nothing to act on: exit code 10. A list of what there is never has it. */
  nothing?: (output: v.InferOutput<O>) => boolean;
  examples: readonly [string, ...string[]];
}

/** What its file says of an operation, besides its name and its command. */
type Described<I extends v.GenericSchema, O extends v.GenericSchema> = Omit<
  OperationForm<I, O>,
  "name" | "command" | "cli"
> & { cli?: Omit<CliForm, "command"> };

/**
 * An operation is described when it is first asked for more than its name and its command: a command needs one or two of
 * them, and to evaluate all descriptions took 0.8 ms of it.
 */
export function operation<const N extends string, I extends v.GenericSchema, O extends v.GenericSchema>(
  name: N,
  command: string,
  describe: () => Described<I, O>,
): OperationForm<I, O> & { name: N } {
  return new Operation(name, command, describe) as unknown as OperationForm<I, O> & { name: N };
}

class Operation {
  #described?: Omit<AnyOperation, "name" | "command">;

  constructor(
    readonly name: string,
    readonly command: string,
    // biome-ignore lint/suspicious/noExplicitAny: operations of every shape
    private readonly describe: () => Described<any, any>,
  ) {}

  get described() {
    if (this.#described) return this.#described;
    const { cli, input, output, ...rest } = this.describe();
    this.#described = {
      ...rest,
      input: once(input),
      output: once(output),
      cli: { command: this.command, ...cli },
    };
    return this.#described;
  }
}

/** Every field of a description, by which it is read. */
const fields: Record<keyof Described<v.GenericSchema, v.GenericSchema>, true> = {
  kind: true,
  access: true,
  summary: true,
  detail: true,
  input: true,
  combinations: true,
  output: true,
  errors: true,
  cli: true,
  http: true,
  mcp: true,
  creates: true,
  waits: true,
  marks: true,
  unwell: true,
  failed: true,
  exit: true,
  nothing: true,
  examples: true,
};
for (const name of Object.keys(fields) as (keyof typeof fields)[])
  Object.defineProperty(Operation.prototype, name, {
    get(this: Operation) {
      return this.described[name];
    },
  });

/** Whether a read changes something this time. */
export const marking = ({ marks }: AnyOperation, input: Record<string, unknown>) =>
  marks !== undefined && input[marks.with] === true;

/** [M9] Every write may have a key: the same key from the same sender is the same write. Other operations take none. */
export function checkKey(op: AnyOperation, key: string | undefined): void {
  if (key === undefined) return;
  if (op.kind !== "write")
    throw new InboxError("invalid_input", `${op.name} takes no idempotency key: it is no write`);
  const input = () => v.strictObject({ idempotencyKey: text("the key", { limit: 256 }) });
  parseInput({ name: op.name, input }, { idempotencyKey: key });
}

/** A schema is built on first use, and then kept. */
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
  op: { name: string; input: () => I; combinations?: readonly Combination[] } & OtherNames,
  raw: unknown,
): v.InferOutput<I> {
  const parsed = v.safeParse(op.input(), raw, { abortEarly: true });
  if (parsed.success) {
    if (op.combinations)
      checkCombinations(op.combinations, {
        input: parsed.output as Record<string, unknown>,
        defaults: defaultsOf(op),
      });
    return parsed.output;
  }
  const issue = parsed.issues[0];
  const path = (issue.path ?? []).map((item) => String(item.key));
  const [head, ...rest] = path;
  if (issue.type === "strict_object" && (issue.input === undefined || issue.expected === "never")) {
    const known = rest.length ? [] : Object.keys((op.input() as { entries?: object }).entries ?? {});
    // A missing field is often given under a name that does not exist.
    const odd = issue.input === undefined ? strange(raw, known) : head;
    const guesses = odd === undefined ? [] : fieldsMeantBy(op, odd, known);
    if (issue.input === undefined && !guesses.length) throw required(rest.length ? [path] : missing(op, raw));
    const where = rest.length ? placeOf(path) : phrase`${field(odd!)}`;
    throw new InboxError("invalid_input", phrase`there is no field ${where}${meant(guesses)}`);
  }
  // An optional field should be left out rather than be empty, unless the others that were given require it.
  const entry = (op.input() as { entries?: Record<string, { type: string }> }).entries?.[head ?? ""];
  const optional =
    issue.type === "min_length" &&
    issue.input === "" &&
    entry?.type === "optional" &&
    !isNeeded(op, raw, head!);
  // A message that shows the value needs no position in a list.
  const where = issue.message.includes("got ") ? path.slice(0, 1) : path;
  throw new InboxError(
    issue.type === "max_bytes" || issue.message === tooLarge ? "too_large" : "invalid_input",
    phrase`${placeOf(where)} ${issue.message}${optional ? "; leave it out instead" : ""}`,
  );
}

const isNeeded = (op: { combinations?: readonly Combination[] }, raw: unknown, key: string) =>
  missingOf(op.combinations ?? [], { ...(raw as object), [key]: undefined }).includes(key);

/** [C15] All fields that are missing from an input. */
export const missingIn = (
  op: { input: () => v.GenericSchema; combinations?: readonly Combination[] },
  input: Readonly<Record<string, unknown>>,
): string[] => [
  ...fieldsOf(op.input()).flatMap(({ key, required: is }) => (is && input[key] === undefined ? [key] : [])),
  ...missingOf(op.combinations ?? [], input),
];

const missing = (op: Parameters<typeof missingIn>[0], raw: unknown) =>
  missingIn(op, Object(raw)).map((key) => [key]);

const required = (paths: readonly string[][]) =>
  new InboxError(
    "invalid_input",
    phrase`${listed(paths.map(placeOf))} ${paths.length > 1 ? "are" : "is"} required`,
  );

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
