/** Turns scanned arguments into an operation's input. */

import { fromText } from "../../contract/coerce.ts";
import { person } from "../../contract/entry.ts";
import { InboxError } from "../../contract/errors.ts";
import { contentLimit, type Field, fieldsOf } from "../../contract/fields.ts";
import { type AnyOperation, missingIn } from "../../contract/operation.ts";
import { blank, field, listed, option, phrase, variable } from "../../contract/phrase.ts";
import { fillFromHere } from "../../contract/surroundings.ts";
import { agentIn } from "../../contract/terminal-id.ts";
import { isAgentShell } from "../../platform/agent-shell.ts";
import { resolve } from "../../platform/path.ts";
import { exists, fs } from "../../platform/system.ts";
import { flagName, type TypedOptions } from "../spelling/shell.ts";
import { operationsOf, type Program } from "./commands.ts";
import { requireCodes } from "./exit-codes.ts";
import { acceptedFlagsOf, type Flag, takesTheRest } from "./flags.ts";
import { elsewhere, surplus } from "./refusal-as-typed.ts" with { load: "when-called" };
import { alsoAsValue, type GivenFlag, type Scanned } from "./scan.ts";

export interface CommandLine {
  program: Program;
  cwd: string;
  env: Record<string, string | undefined>;
}

/** An input that is being built, for which operation, and from what. */
interface Filling extends CommandLine {
  op: AnyOperation;
  flags: readonly Flag[];
  input: Record<string, unknown>;
  warnings: string[];
}

export interface CommandInput {
  input: Record<string, unknown>;
  /** Warnings, such as for an artifact that does not exist. */
  warnings: string[];
  typed: TypedOptions;
}

const invalid = (message: string, hint?: string) => new InboxError("invalid_input", message, { hint });

export function inputOf(op: AnyOperation, scanned: Scanned, caller: CommandLine): CommandInput {
  const flags = acceptedFlagsOf(op);
  const warnings: string[] = [...scanned.warnings];
  const input: Record<string, unknown> = {};
  const filling = { ...caller, op, flags, input, warnings };
  for (const given of scanned.given) {
    const flag = flags.find(({ name }) => name === given.flag);
    if (!flag) throw ofOtherForm(filling, given.flag, scanned);
    apply(filling, flag, given);
  }
  requireForm(filling, scanned.given);
  fillPlain(filling, scanned);
  requireValues(filling, scanned);
  requireCodes(op, input);
  fillIdentity(filling, scanned);
  if (op.cli.program === "orch") fillFromHere(op, input, caller);
  if (op.kind === "write")
    for (const { field } of flags) {
      const path = field.path && input[field.key];
      if (path && !exists(String(path))) warnings.push(`${path} does not exist`);
    }
  const { agent, db } = scanned.globals;
  return { input, warnings, typed: { agent, db } };
}

const takes = (op: AnyOperation, flag: string) => acceptedFlagsOf(op).some(({ name }) => name === flag);

/** If the other of two operations with the same command has the flag: says which of the other arguments do not fit it. */
function ofOtherForm({ op, program }: Filling, flag: string, { given, plain }: Scanned): InboxError {
  const other = operationsOf(op.cli.command, program).find((form) => takes(form, flag))!;
  const mine = given.find((one) => !takes(other, one.flag));
  const against = mine?.flag ?? `the argument "${plain[0] ?? ""}"`;
  return invalid(
    `${flag} cannot be combined with ${against}`,
    `leave out ${flag}, or use it as in: ${other.examples[0]}`,
  );
}

/**
 * An argument that only one of two forms takes is refused without the flag that selects the form: it would have no
 * effect, or an unexpected one.
 */
function requireForm({ op, input, program }: Filling, given: readonly GivenFlag[]): void {
  const { needs } = op.cli;
  if (needs === undefined || input[needs] !== undefined) return;
  const name = flagName(fieldsOf(op.input()).find(({ key }) => key === needs)!);
  const others = operationsOf(op.cli.command, program).filter((form) => form !== op);
  const foreign = given.find(({ flag }) => !others.some((form) => takes(form, flag)));
  if (foreign) throw invalid(`${foreign.flag} requires ${name}`, `add ${name}, or leave out ${foreign.flag}`);
}

function apply(filling: Filling, flag: Flag, given: GivenFlag): void {
  const { input } = filling;
  const { field, role } = flag;
  if (role.startsWith("artifact")) {
    applyArtifact(filling, flag, given.value!);
    return;
  }
  const value =
    role === "file"
      ? readText(given.value!, flag, filling)
      : typedValue(field, given.value, flag.name, filling);
  if ((field.type === "list" || field.paths) && Array.isArray(input[field.key]))
    (input[field.key] as unknown[]).push(...(value as unknown[]));
  else if (field.key in input)
    throw flag.name === flagName(field)
      ? invalid(`${flag.name} was given more than once`, `give ${flag.name} only once`)
      : invalid(`${flagName(field)} and ${flag.name} cannot be combined`, "give only one of them");
  else input[field.key] = value;
}

function applyArtifact({ input, cwd, warnings }: Filling, flag: Flag, value: string): void {
  input.artifacts ??= [];
  const artifacts = input.artifacts as Record<string, unknown>[];
  if (flag.role === "artifact") {
    if (value === "") throw invalid("--artifact must be a path");
    const path = resolve(cwd, value);
    if (!exists(path)) warnings.push(`artifact ${path} does not exist`);
    artifacts.push({ path });
    return;
  }
  const last = artifacts.at(-1);
  if (!last)
    throw invalid(
      `${flag.name} belongs to the --artifact before it, and there is none`,
      `give --artifact PATH before ${flag.name}`,
    );
  const key = flag.role === "artifact-kind" ? "kind" : "metadata";
  if (key in last) throw invalid(`${flag.name} was given twice for one --artifact`);
  last[key] = key === "kind" ? value : parseJson(value, flag.name);
}

function typedValue(field: Field, value: string | undefined, name: string, { cwd }: CommandLine): unknown {
  if (field.type === "flag") return true;
  if (field.path && value) return resolve(cwd, value);
  if (field.paths && !/^\s*[[{"]/.test(value!))
    return value!.split(",").map((path) => ({ path: path.trim() }));
  return field.type === "json" ? parseJson(value!, name) : fromText(field, value!);
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(`${name} is not JSON: ${(error as Error).message}`);
  }
}

function fillPlain(filling: Filling, scanned: Scanned): void {
  const { input, op, flags, program } = filling;
  const { plain: given } = scanned;
  const keys = op.cli.plain ?? [];
  const plain = takesTheRest(op, program) ? unquoted(given, keys) : given;
  if (plain.length > keys.length) {
    const extra = plain[keys.length]!;
    const command = `${program} ${op.cli.command}`;
    throw invalid(
      `${command} takes ${keys.length ? `at most ${keys.length} argument${keys.length > 1 ? "s" : ""}` : "flags only"}; unexpected argument "${extra}"`,
      surplus({ op, program, scanned }, flags),
    );
  }
  const from = op.cli.lastFirst ? keys.length - plain.length : 0;
  plain.forEach((value, i) => {
    const key = keys[from + i]!;
    const { field, name } = flags.find((flag) => flag.field.key === key)!;
    if (key in input)
      throw invalid(`${name} is given as a flag and as the argument "${value}"`, "give only one of them");
    input[key] = typedValue(field, value, key, filling);
  });
}

function unquoted(given: readonly string[], keys: readonly string[]): readonly string[] {
  if (given.length <= keys.length) return given;
  const before = keys.length - 1;
  return [...given.slice(0, before), given.slice(before).join(" ")];
}

/** [C15] What is missing besides `keys`. */
const alsoMissing = ({ op, input }: Filling, keys: readonly string[]): string[] =>
  missingIn(op, input).filter((key) => !keys.includes(key));

/** A flag without its value, and everything else that is missing: one correction is enough. */
function requireValues(filling: Filling, scanned: Scanned): void {
  const { valueless } = scanned;
  if (!valueless.length) return;
  const { op, flags, program } = filling;
  const identity = op.cli.identity ?? "";
  const keys = flags.flatMap(({ name, field: { key } }) => (valueless.includes(name) ? [key] : []));
  // It is a flag of every command, and in some the field of that name.
  if (valueless.includes("--agent")) keys.push("agent");
  const nameless = !keys.includes("agent") && isNameless(filling, scanned);
  const others = [
    ...(nameless ? ["your agent name"] : []),
    ...alsoMissing(filling, [identity, ...keys]).map((key) => field(key)),
  ];
  const needs = phrase`${listed(valueless)} ${valueless.length > 1 ? "need values" : "needs a value"}`;
  const also = phrase`; ${listed(others)} ${others.length > 1 ? "are" : "is"} missing too`;
  throw new InboxError("invalid_input", others.length ? phrase`${needs}${also}` : needs, {
    hint: alsoAsValue(scanned.asValue, `${program} ${op.cli.command} --help shows an example`),
  });
}

/** Whether the command requires the caller's name, and nothing gives it. */
function isNameless({ input, op, env, flags }: Filling, { globals }: Scanned): boolean {
  const { identity, identityDefault } = op.cli;
  if (identity === undefined || identity in input || identityDefault !== undefined) return false;
  if (globals.agent !== undefined || globals.token !== undefined || env.INBOX_TOKEN) return false;
  return (
    agentIn(env) === undefined && flags.some(({ field: { key, required } }) => key === identity && required)
  );
}

/** [A5.8] In the shell of an agent program, a caller without a name is never the person. */
const usualFor = (name: string | undefined, env: CommandLine["env"]) =>
  name === person && isAgentShell(env) ? "main" : name;

/** [C9] The caller is `--from` or `--agent`, else INBOX_AGENT, else the operation's default, else unknown. */
function fillIdentity(filling: Filling, scanned: Scanned): void {
  const { input, op, env, program, flags } = filling;
  const { identity, identityDefault } = op.cli;
  if (identity === undefined) {
    const filters = flags.some(({ field }) => field.key === "agent");
    if (filters && scanned.globals.agent !== undefined) input.agent = scanned.globals.agent;
    return;
  }
  // [X2] A token says who is calling; only a name that was typed as well is sent along, to be compared.
  const token = scanned.globals.token ?? (env.INBOX_TOKEN || undefined);
  const assumed = token === undefined ? (agentIn(env) ?? usualFor(identityDefault, env)) : undefined;
  const caller = scanned.globals.agent ?? assumed;
  if (!(identity in input) && caller !== undefined) input[identity] = caller;
  if (!isNameless(filling, scanned)) return;
  const others = alsoMissing(filling, [identity]);
  const withValue = (key: string) =>
    field(key, blank(flags.find((flag) => flag.field.key === key)?.field.value ?? "VALUE"));
  const command = `${program} ${op.cli.command}`;
  throw new InboxError(
    "invalid_input",
    phrase`${command} requires ${listed(["your agent name", ...others.map((key) => field(key))])}`,
    {
      hint: phrase`add ${listed([option("agent", blank("NAME")), ...others.map(withValue)])}, or set ${variable("INBOX_AGENT")}${others.length ? " for your name" : ""}`,
    },
  );
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads a whole file, or standard input, up to the size limit of a message. */
function readText(path: string, { name, field }: Flag, { cwd, op, input }: Filling): string {
  if (path === "") throw invalid(`${name} must be a path, or - for standard input`);
  let bytes: Uint8Array;
  try {
    const file = path === "-" ? 0 : fs().openSync(resolve(cwd, path), "r");
    if (path !== "-" && fs().fstatSync(file).isDirectory()) throw new Error("it is a folder");
    bytes = readUpTo(file, contentLimit + 1);
  } catch (error) {
    throw invalid(`${name} ${path} cannot be read: ${reasonOf(error)}`);
  }
  if (bytes.length > contentLimit)
    throw new InboxError("too_large", `${name} ${path} has more than ${contentLimit} bytes`);
  if (bytes.length === 0)
    throw invalid(
      `${name} ${path} is empty${missingIn(op, input).includes(field.key) ? "" : "; leave it out instead"}`,
    );
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalid(`${name} ${path} is not valid UTF-8 text`, `convert it to UTF-8, or ${elsewhere(op)}`);
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  return code === "ENOENT" ? "there is no such file" : code === "EACCES" ? "permission denied" : message;
}

function readUpTo(file: number, most: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  let total = 0;
  while (total < most) {
    const chunk = new Uint8Array(Math.min(65_536, most - total));
    const read = fs().readSync(file, chunk, 0, chunk.length, null);
    if (read === 0) break;
    chunks.push(chunk.subarray(0, read));
    total += read;
  }
  return Buffer.concat(chunks);
}
