/** One run of the program: arguments in, an exit code out. */

import { runLocal } from "../../admin/operations.ts" with { load: "when-called" };
import type { LocalOperation } from "../../admin/operations.ts";
import type { BeginNote } from "../../contract/begin-note.ts";
import { asInboxError, errorTable, InboxError } from "../../contract/errors.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import type { OperationName } from "../../contract/operations/index.ts";
import { spelled, spelledIn } from "../../contract/phrase.ts";
import type { BusOperation, Handed, Inbox } from "../../inbox/inbox.ts";
import { brokerOf, closedByCommands, isHub, locate } from "../../location/locate.ts";
import { argumentBytes } from "../../platform/argument-bytes.ts";
import { resolve } from "../../platform/path.ts";
import { versionLine } from "../../version.ts";
import { inShell } from "../spelling/shell.ts";
import type { Apart } from "../text/noun-renders.ts";
import { snakeCase } from "../text/recase.ts";
import { refusalText } from "../text/refusal.ts" with { load: "when-called" };
import { renderApart } from "../text/render.ts" with { load: "when-called" };
import { safe, safeJson } from "../text/safe.ts";
import { withoutWorkLines } from "../text/without-work.ts" with { load: "when-called" };
import { lastingWay } from "./admin-commands.ts" with { load: "when-called" };
import { withoutOperation } from "./built-in-commands.ts" with { load: "when-called" };
import { findCommand, operationsOf, type Program } from "./commands.ts";
import { acceptedFlagsOf, assigns, flagsOf, globalFlags, takesTheRest } from "./flags.ts";
import { commandHelp } from "./help.ts" with { load: "when-called" };
import { type CommandInput, inputOf } from "./input.ts";
import { exitInterrupted, untilInterrupted } from "./interrupt.ts";
import { openInboxAt, tokenOf } from "./open-inbox.ts";
import {
  complain,
  exitBrokenPipe,
  hasOutput,
  paintFor,
  print,
  readerGone,
  warn,
  writeOut,
} from "./output.ts";
import { asTyped } from "./refusal-as-typed.ts" with { load: "when-called" };
import { leadingWords, readAsFlag, type Scanned, scanArguments } from "./scan.ts";
import { lineReader, stream } from "./streams.ts" with { load: "when-called" };
import { inTyping, typing } from "./typing.ts";
import { withHub } from "./with-hub.ts" with { load: "when-called" };

const exitFailed = 1;
const exitNothing = 10;

export async function main(argv: readonly string[], program: Program): Promise<number> {
  try {
    checkEncoding(argv);
    return await dispatch(argv, program);
  } catch (error) {
    return report(asInboxError(error), beforeTexts(argv).includes("--json"));
  }
}

async function dispatch(argv: readonly string[], program: Program): Promise<number> {
  const { words, at } = leadingWords(argv);
  const found = findCommand(words, program);
  if (!found) return withoutOperation(words, argv, program);
  const { command, length } = found;
  const rest = argv.toSpliced(at, length);
  const forms = operationsOf(command, program);
  const scanned = scanForms(forms, rest, command, program);
  // [C15] In `--body --help` the flag may be the text: the call is refused, not forgotten.
  const isCall = scanned.asValue !== undefined;
  const { help, version, json } = scanned.globals;
  if ((help || version) && !isCall) {
    const places = Math.max(...forms.map(placesOf(program)));
    const unmade = readAsFlag(scanned, `${program} ${command}`, places);
    if (unmade && json) throw unmade;
    const exit = await writeOut(version ? versionLine(program) : commandHelp(command, program));
    if (unmade) throw unmade;
    return exit;
  }
  const op = chooseForm(forms, scanned);
  try {
    return await run(op, inputOf(op, scanned, { cwd: process.cwd(), env: process.env, program }), scanned);
  } catch (error) {
    throw error instanceof InboxError ? asTyped(error, { op, program, scanned }) : error;
  }
}

/** How many plain arguments it takes; any number, if the last is a text that may be given without quotes. */
const placesOf = (program: Program) => (op: AnyOperation) =>
  takesTheRest(op, program) ? Number.POSITIVE_INFINITY : (op.cli.plain ?? []).length;

/** What comes after -- is text. */
const beforeTexts = (argv: readonly string[]) =>
  argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;

/** Most commands have one form. Of two, the more likely one is tried first, because building a schema takes time. */
function scanForms(
  forms: readonly AnyOperation[],
  rest: readonly string[],
  command: string,
  program: Program,
): Scanned {
  const plainFirst = rest[0] !== undefined && !rest[0].startsWith("-");
  const likely = forms.find((op) => (op.cli.plain !== undefined) === plainFirst);
  if (forms.length > 1 && likely) {
    try {
      return scanArguments(rest, acceptedFlagsOf(likely), command, { program, collects: true });
    } catch {
      // A flag of the other form, or an unknown one.
    }
  }
  const keyed = program === "orch" || forms.every(assigns);
  return scanArguments(rest, forms.flatMap(acceptedFlagsOf), command, {
    assigns: keyed,
    program,
    collects: true,
  });
}

/** Of two operations with the same command, the first that accepts all arguments. */
function chooseForm(forms: readonly AnyOperation[], { given, valueless, plain }: Scanned): AnyOperation {
  const typed = [
    ...given.map(({ flag }) => flag),
    ...valueless.filter((flag) => !globalFlags.some(({ name }) => name === flag)),
  ];
  const fits = (op: AnyOperation) => {
    if (plain.length > (op.cli.plain?.length ?? 0)) return false;
    return typed.every((flag) => acceptedFlagsOf(op).some(({ name }) => name === flag));
  };
  return forms.find(fits) ?? forms.find((op) => plain.length > 0 && op.cli.plain) ?? forms[0]!;
}

async function run(op: AnyOperation, command: CommandInput, scanned: Scanned): Promise<number> {
  const { globals } = scanned;
  // Set in the environment, because processes that are started from here need it as well.
  if (globals.trust !== undefined)
    process.env.INBOX_TRUST = [resolve(globals.trust), process.env.INBOX_TRUST].filter(Boolean).join(":");
  const asked = { db: globals.db, delivery: globals.delivery, env: process.env, cwd: process.cwd() };
  const delivery = brokerOf(process.env, globals.delivery);
  if (op.kind === "local") {
    const respond = (value: unknown) => answer(op, { value }, command, globals.json);
    const lasting = lastingWay(op.name);
    if (lasting) return lasting({ asked, delivery, globals, command, respond });
    return respond(await runLocal(op.name as LocalOperation, asked, command.input));
  }
  const location = locate(asked);
  const inbox = await openInboxAt(location, { delivery, token: tokenOf(globals), alone: onlyWaits(op) });
  try {
    const acting = () => act({ inbox, location }, op, command, globals.json);
    return await acting().catch(async (error) => {
      const untrusted = error instanceof InboxError && error.details?.untrusted !== undefined;
      if (!untrusted || isHub(location) || !(await offer(asked, globals.json))) throw error;
      return acting();
    });
  } finally {
    if (closedByCommands(location) || delivery !== undefined) await inbox.close();
  }
}

/** What `orch` waits for may run programs. */
const onlyWaits = ({ kind, cli }: AnyOperation) => kind === "wait" && cli.program !== "orch";

async function act(
  { inbox, location }: { inbox: Inbox; location: string },
  op: AnyOperation,
  command: CommandInput,
  json: boolean,
): Promise<number> {
  const { idempotencyKey, ...input } = command.input as { idempotencyKey?: string } & Record<string, unknown>;
  const streaming = op.cli.stream && (op.cli.stream === true || input[op.cli.stream]);
  // Without an output it would never notice that nobody reads.
  if (streaming)
    return (await hasOutput())
      ? Promise.race([stream(op.name)(inbox, input, { json }), readerGone()])
      : exitBrokenPipe;
  const lines = flagsOf(op).find(({ field }) => field.type === "lines")?.field.key;
  if (lines !== undefined) {
    const value = await lineReader(op.name)(inbox, String(input[lines] ?? "-"), command.warnings);
    const exit = await answer(op, { value }, command, json);
    return exit || (command.warnings.length ? errorTable.invalid_input.exit : 0);
  }
  // What it has started continues without it.
  const signal = op.waits?.goesOn ? untilInterrupted() : undefined;
  const noteAtBegin = (note: BeginNote) => complain(beginText(note, op, command));
  const options = { idempotencyKey, signal, noteAtBegin, caller: { surface: "cli" as const } };
  let handed: Handed<unknown>;
  try {
    handed = await inbox.hand(op.name as BusOperation, input as never, options);
  } catch (error) {
    if (!signal?.aborted) throw error;
    complain("the task continues, and its result will be delivered to your inbox; orch queue shows it\n");
    return exitInterrupted;
  }
  if (op.name === "workspaces.add") handed = { ...handed, value: withHub(handed.value as never, location) };
  const exit = await answer(op, handed, command, json);
  return signal?.aborted && exit === exitNothing ? exitInterrupted : exit;
}

function beginText(note: BeginNote, op: AnyOperation, { typed }: CommandInput): string {
  const lines = withoutWorkLines(note, paintFor(2), (text) => spelled(text, typing(op, typed)));
  return `${lines.join("\n")}\n`;
}

/** Loaded only when needed: on a bus that is not trusted. */
const offer: typeof import("./bus-trust.ts").offerTrust = (...args) =>
  (require("./bus-trust.ts") as typeof import("./bus-trust.ts")).offerTrust(...args);

/** Prints the answer, and only then collects what it contains. */
async function answer(
  op: AnyOperation,
  handed: Handed<unknown>,
  command: CommandInput,
  json: boolean,
): Promise<number> {
  const { value } = handed;
  const { text, aside } = json
    ? { text: jsonAnswer(op, value as object, command), aside: "" }
    : humanAnswer(op, value, command);
  let taken = false;
  try {
    taken = (!handed.confirm || (await hasOutput())) && (await print(text));
  } finally {
    if (!taken) await handed.release?.();
  }
  if (!taken) return exitBrokenPipe;
  if (aside) complain(aside);
  try {
    await handed.confirm?.();
  } catch (error) {
    const { code, message } = asInboxError(error);
    warn(`the messages above were not marked as read: ${message}`);
    // Another reader has the mail now, or it will be delivered again: the exit code tells a script not to act on it.
    return errorTable[code].exit;
  }
  if (op.unwell?.(value)) return errorTable.storage.exit;
  if (op.failed?.(value)) return exitFailed;
  if (op.nothing?.(value)) return exitNothing;
  return op.exit?.(value) ?? 0;
}

function jsonAnswer(op: AnyOperation, value: object, { warnings, typed }: CommandInput): string {
  if (op.cli.shape === "channel") return `${safeJson(bareAnswer(op, value as Record<string, unknown>))}\n`;
  const fields = snakeCase(op.kind === "local" ? spelledIn(value, inShell(op, typed)) : value) as object;
  return `${safeJson({ ok: true, command: op.cli.command, ...fields, ...(warnings.length && { warnings }) })}\n`;
}

/** The field that the protocol shows; other fields are added to it if it is an object. */
function bareAnswer({ cli: { bare } }: AnyOperation, value: Record<string, unknown>): unknown {
  if (bare === undefined) return value;
  const { [bare]: shown, ...rest } = value;
  return Array.isArray(shown) ? shown : { ...(shown as object), ...rest };
}

function humanAnswer(op: AnyOperation, value: unknown, { warnings, typed }: CommandInput): Apart {
  for (const warning of warnings) warn(warning);
  const spelling = (called: AnyOperation) => typing(called, typed);
  return renderApart(op.name as OperationName, value as never, paintFor(1), spelling);
}

async function report(error: InboxError, json: boolean): Promise<number> {
  const { exit } = errorTable[error.code];
  if (json) {
    try {
      const printed = await print(`${safeJson({ ok: false, error: error.shape(inShell()) })}\n`);
      return printed ? exit : exitBrokenPipe;
    } catch {
      // Standard output itself has failed: report it on standard error.
    }
  }
  const shape = error.shape(inShell());
  const message = inTyping(shape.message);
  complain(refusalText({ ...shape, message, hint: inTyping(shape.hint) }, paintFor(2)));
  if (error.code === "internal" && process.env.INBOX_DEBUG)
    complain(`${safe(String((error.cause as Error)?.stack))}\n`);
  return exit;
}

/** The runtime silently turns invalid bytes into U+FFFD; what was typed would be stored altered. */
function checkEncoding(argv: readonly string[]): void {
  if (!argv.some((token) => token.includes("\ufffd"))) return;
  const typed = argumentBytes();
  if (!typed) return;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(typed);
  } catch {
    throw new InboxError("invalid_input", "an argument is not valid UTF-8 text", {
      hint: "type it in UTF-8: is the terminal, or the script, set to another encoding?",
    });
  }
}
