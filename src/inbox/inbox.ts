/**
 * The one object that every surface calls: an engine, the bus's procedures, and waiting. `hand` returns an answer
 * that is not collected yet: the surface confirms it once it was shown, or releases it.
 */

import type { Settled } from "../bus/hand-over/settle.ts";
import type { Keyed } from "../bus/idempotency.ts";
import { entriesShow } from "../bus/procedures/entries-show.ts" with { load: "when-called" };
import { hasTokens, tokenOwner } from "../bus/token.ts" with { load: "when-called" };
import type { Owner } from "../bus/token.ts";
import { findWorkspace, workspaceView } from "../bus/workspace.ts" with { load: "when-called" };
import type { NoteAtBegin } from "../contract/begin-note.ts";
import type { BusFiles } from "../contract/document.ts";
import type { Entry } from "../contract/entry.ts";
import type { Event } from "../contract/event.ts";
import { type AnyOperation, checkKey, parseInput } from "../contract/operation.ts";
import { type InputOf, type OutputOf, operationNamed } from "../contract/operations/index.ts";
import type { Text } from "../contract/phrase.ts";
import type { Receipt } from "../contract/receipt.ts";
import type { Workspace } from "../contract/workspace.ts";
import type { EndSignal, Engine, Subscription } from "../engines/engine.ts";
import { busFiles } from "../location/locate.ts";
import { watchOver } from "../orch/watch-over.ts";
import { sha256 } from "../platform/runtime.ts";
import { tokenHash } from "../platform/token-text.ts";
import { revocationTopic } from "../sql/topics.ts";
import { follow } from "../waiting/events-watch.ts" with { load: "when-called" };
import { type AnswerWithReceipt, type Handed, handed, settle, type Word } from "../waiting/handed.ts";
import { actAs, type Caller, engineFor } from "./access.ts";
import { type BusOperation, handlers } from "./handlers.ts";
import type { NotifyOptions } from "./notify.ts";
import { type BusOptions, openBus } from "./open-bus.ts";
import { tendEntries, tendRetention, tendSchema, tendSearch } from "./upkeep.ts" with { load: "when-called" };
import type { Upkeep } from "./upkeep.ts";

export type { EndSignal } from "../engines/engine.ts";
export { endOfWait } from "../waiting/end-of-wait.ts";
export type { Handed, Word } from "../waiting/handed.ts";
export type { BusOperation } from "./handlers.ts";
export type { NotifyOptions } from "./notify.ts";

export interface CallOptions {
  signal?: EndSignal;
  /** [M9] For a write: the same key from the same sender is the same write. */
  idempotencyKey?: string;
  /** [X2] [X10] The agent of a token, and its scope; without a token, a caller may use any name. */
  caller?: Caller;
  /** [B4] A UUID of the caller, by which it can release what this call hands over, even if the answer was lost. */
  handOver?: string;
  /** [M13] [L11] Called when a wait without an end begins, and names look misspelled or the agent holds threads. */
  noteAtBegin?: NoteAtBegin;
}

export interface Inbox {
  call<N extends BusOperation>(name: N, input: InputOf<N>, options?: CallOptions): Promise<OutputOf<N>>;
  hand<N extends BusOperation>(
    name: N,
    input: InputOf<N>,
    options?: CallOptions,
  ): Promise<Handed<OutputOf<N>>>;
  /** Every event from a cursor on, as it happens. */
  follow(input: InputOf<"events.watch">, options?: CallOptions): AsyncGenerator<Event>;
  close(): Promise<void>;
}

/** What only a process with the database can do. */
export interface EmbeddedInbox extends Inbox {
  /** For supervisors of sub-agents. */
  readonly engine: Engine;
  /** [X2] The agent of a token; null for one that never existed, or was revoked. */
  owner(token: string): Promise<Owner | null>;
  hasTokens(): Promise<boolean>;
  /** [X14] Yields at once, and whenever a token may have been revoked by any process, until the signal. */
  revocations(signal: AbortSignal): AsyncGenerator<void>;
  /** [B4] Confirms or releases an answer, whichever process gave it. */
  settle(word: Word, receipt: Receipt, caller?: Caller): Promise<Settled>;
  /** [U1] The workspace of an address; an unknown one is refused. */
  workspace(id: string): Promise<Workspace>;
  /** An entry and the workspace whose files it points to, if that is still there. */
  entry(id: string, caller?: Caller): Promise<{ entry: Entry; workspace: Workspace | null }>;
  /** The files on this machine that belong to the bus, and are never documents. */
  readonly files: BusFiles;
  /** The maintenance of a long-running process, until the signal. */
  tend(upkeep: Omit<Upkeep, "engine">, notify?: NotifyOptions): Promise<void>;
}

export interface InboxOptions extends BusOptions {
  /** This process supervises sub-agents: no other supervisor has to be started. */
  supervised?: boolean;
  /** Called once with the reason why waiting tasks are not started. */
  complain?: (message: Text) => void;
  /** Calls come from other processes (default: if it supervises): this process's environment is not the callers'. */
  remote?: boolean;
}

export function openInbox(
  location: string,
  { supervised = false, remote = supervised, complain, ...options }: InboxOptions = {},
): EmbeddedInbox {
  const { engine, journal } = openBus(location, options);
  const watch = watchOver(engine, location, { delivery: options.delivery, supervised, complain });

  const files = busFiles(location, options.journal?.folder);

  /** Throws at once what is wrong with the call itself. */
  function give<N extends BusOperation>(
    name: N,
    input: InputOf<N>,
    options: CallOptions = {},
    collects = false,
  ): Promise<AnswerWithReceipt<OutputOf<N>>> {
    const op = operationNamed(name) as AnyOperation;
    const { signal, handOver, noteAtBegin, caller = {} } = options;
    const asked = { ...(input as Record<string, unknown>) };
    actAs(caller, op, asked);
    const parsed = parseInput(op, asked);
    const keyed = keyedBy(op, parsed, options);
    return watch.during(op, () =>
      handlers[name](
        engineFor(engine, caller, op, parsed),
        parsed as never,
        { signal, handOver, keyed, collects, noteAtBegin },
        { db: location, supervise: watch.now, files, ...(!remote && { env: process.env }) },
      ),
    );
  }

  return {
    engine,
    hand: async (name, input, options) => handed(engine, await give(name, input, options)),
    async call(name, input, options) {
      const given = await give(name, input, options, true);
      // What could not be collected together with the answer is collected now.
      await handed(engine, given).confirm?.();
      return given.value;
    },
    follow(input, options = {}) {
      const op = operationNamed("events.watch") as AnyOperation;
      const parsed = parseInput(op, input);
      return follow(engineFor(engine, options.caller ?? {}, op, parsed), parsed, options.signal);
    },
    owner: (token) => engine.read(() => tokenOwner(tokenHash(token))),
    workspace: async (id) => workspaceView(await engine.read(() => findWorkspace(id))),
    settle: (word, receipt, caller = {}) => settle(settledBy(engine, caller, receipt), word, receipt),
    files,
    entry: (id, caller = {}) =>
      engineFor(engine, caller, operationNamed("entries.show") as AnyOperation, { id }).read((tx) =>
        entriesShow(tx, id),
      ),
    revocations: (signal) => heard(engine.subscribe([revocationTopic]), signal),
    hasTokens: () => engine.read(() => hasTokens()),
    async tend(tending, notify) {
      const upkeep = { ...tending, engine };
      const { taskFiles } = require("../orch/task-files.ts") as typeof import("../orch/task-files.ts");
      const { tendNotifications } = require("./notify.ts") as typeof import("./notify.ts");
      await Promise.all([
        tendEntries(upkeep, journal?.()),
        tendSearch(upkeep),
        tendSchema(upkeep),
        notify && tendNotifications(upkeep, notify),
        tendRetention(upkeep, taskFiles(location, process.env)),
      ]);
    },
    close: engine.close,
  };
}

/**
 * [X10] An entry can be marked as read by any caller that may change it; everything else in a receipt belongs to the
 * caller by its name.
 */
const settledBy = (engine: Engine, caller: Caller, receipt: Receipt): Engine =>
  receipt.of === "entry"
    ? engineFor(engine, caller, operationNamed("entries.read") as AnyOperation, receipt)
    : engine;

/** Subscribed when it is called, not at the first read. */
async function* heard(subscription: Subscription, signal: AbortSignal): AsyncGenerator<void> {
  try {
    while (!signal.aborted) {
      yield;
      await subscription.next({ signal });
    }
  } finally {
    subscription.close();
  }
}

const shortInput = 100;

function keyedBy(
  op: AnyOperation,
  input: Record<string, unknown>,
  { idempotencyKey: key }: CallOptions,
): Keyed | undefined {
  checkKey(op, key);
  if (key === undefined) return undefined;
  const inputText = JSON.stringify(input);
  const sender = String(input[op.cli.identity ?? ""] ?? "");
  // Only compared: of a long text the hash is kept.
  const kept = inputText.length > shortInput ? `sha256:${sha256(inputText)}` : inputText;
  return { key, sender, operation: op.name, input: kept, inputText };
}
