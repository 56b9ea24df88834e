/**
 * The one object every surface talks to: an engine, the bus's procedures, and waiting. `hand` gives an
 * answer that is not yet collected: whoever shows it confirms once it was shown, or gives it back.
 */

import type { Settled } from "../bus/hand-over/settle.ts";
import type { Keyed } from "../bus/idempotency.ts";
import { entriesShow } from "../bus/procedures/entries-show.ts";
import { hasTokens, type Owner, tokenOwner } from "../bus/token.ts";
import { findWorkspace, workspaceView } from "../bus/workspace.ts";
import type { BusFiles } from "../contract/document.ts";
import type { Entry } from "../contract/entry.ts";
import type { Event } from "../contract/event.ts";
import { type AnyOperation, checkKey, parseInput } from "../contract/operation.ts";
import { type InputOf, type OutputOf, operationNamed } from "../contract/operations/index.ts";
import type { Text } from "../contract/phrase.ts";
import type { Receipt } from "../contract/receipt.ts";
import type { Workspace } from "../contract/workspace.ts";
import type { Engine, Subscription } from "../engines/engine.ts";
import { busFiles } from "../location/locate.ts";
import { watchOver } from "../orch/watch-over.ts";
import { sha256 } from "../platform/runtime.ts";
import { tokenHash } from "../platform/token-text.ts";
import { revocationTopic } from "../sql/topics.ts";
import { follow } from "../waiting/events-watch.ts";
import { type AnswerWithReceipt, type Handed, handed, settle, type Word } from "../waiting/handed.ts";
import { actAs, type Caller, engineFor } from "./access.ts";
import { type BusOperation, handlers } from "./handlers.ts";
import type { NotifyOptions } from "./notify.ts";
import { type BusOptions, openBus } from "./open-bus.ts";
import { tendEntries, tendRetention, tendSearch } from "./upkeep.ts";

export type { Handed, Word } from "../waiting/handed.ts";
export { endOfWait } from "../waiting/wait.ts";
export type { BusOperation } from "./handlers.ts";
export type { NotifyOptions } from "./notify.ts";

export interface CallOptions {
  signal?: AbortSignal;
  /** [M9] On a write: the same key from the same sender is the same write. */
  idempotencyKey?: string;
  /** [X2] [X10] Whom a token speaks for, and what it may; without one, anybody is who he says. */
  caller?: Caller;
  /** [B4] A UUID of the caller's: what this call hands over can be given back by it, also where the answer was lost. */
  handOver?: string;
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

/** What only the one who has the database can say. */
export interface EmbeddedInbox extends Inbox {
  /** For whoever supervises sub-agents. */
  readonly engine: Engine;
  /** [X2] Whom a token speaks for; null for one that was never given, or was revoked. */
  owner(token: string): Promise<Owner | null>;
  hasTokens(): Promise<boolean>;
  /** [X14] Yields at once and whenever a token may have been revoked, by whichever process, until the signal. */
  revocations(signal: AbortSignal): AsyncGenerator<void>;
  /** [B4] What became of an answer, whoever gave it. */
  settle(word: Word, receipt: Receipt, caller?: Caller): Promise<Settled>;
  /** [U1] Whose address that is; an unknown one is refused. */
  workspace(id: string): Promise<Workspace>;
  /** An entry and the workspace whose files it points to, if that is still there. */
  entry(id: string, caller?: Caller): Promise<{ entry: Entry; workspace: Workspace | null }>;
  /** What on this machine is the bus itself, and never a document. */
  readonly files: BusFiles;
  /** What a process that lives on does by itself, until the signal. */
  tend(signal: AbortSignal, notify?: NotifyOptions): Promise<void>;
}

export interface InboxOptions extends BusOptions {
  /** Somebody in this process supervises sub-agents: nobody else need be started for it. */
  supervised?: boolean;
  /** Told why waiting tasks are not started, once. */
  complain?: (message: Text) => void;
  /** Calls come from other processes (default: where it supervises): this one's environment is not the callers'. */
  remote?: boolean;
}

export function openInbox(
  location: string,
  { supervised = false, remote = supervised, complain, ...options }: InboxOptions = {},
): EmbeddedInbox {
  const { engine, journal } = openBus(location, options);
  const watch = watchOver(engine, location, { delivery: options.delivery, supervised, complain });

  const files = busFiles(location, options.journal?.folder);

  async function give<N extends BusOperation>(
    name: N,
    input: InputOf<N>,
    options: CallOptions = {},
    collects = false,
  ): Promise<AnswerWithReceipt<OutputOf<N>>> {
    const op = operationNamed(name) as AnyOperation;
    const { signal, handOver, caller = {} } = options;
    const asked = { ...(input as Record<string, unknown>) };
    actAs(caller, op, asked);
    const parsed = parseInput(op, asked);
    const keyed = keyedBy(op, parsed, options);
    return watch.during(op, () =>
      handlers[name](
        engineFor(engine, caller, op, parsed),
        parsed as never,
        { signal, handOver, keyed, collects },
        { db: location, supervise: watch.now, files, ...(!remote && { env: process.env }) },
      ),
    );
  }

  return {
    engine,
    hand: async (name, input, options) => handed(engine, await give(name, input, options)),
    async call(name, input, options) {
      const given = await give(name, input, options, true);
      // What could not be collected with the answer is now.
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
    async tend(signal, notify) {
      const { taskFiles } = require("../orch/task-files.ts") as typeof import("../orch/task-files.ts");
      const { tendNotifications } = require("./notify.ts") as typeof import("./notify.ts");
      await Promise.all([
        tendEntries(engine, journal?.(), signal),
        tendSearch(engine, signal),
        notify && tendNotifications(engine, notify, signal),
        tendRetention(engine, taskFiles(location, process.env), signal),
      ]);
    },
    close: engine.close,
  };
}

/** [X10] An entry is read by whoever may say so; all else that a receipt names is the caller's own by its name. */
const settledBy = (engine: Engine, caller: Caller, receipt: Receipt): Engine =>
  receipt.of === "entry"
    ? engineFor(engine, caller, operationNamed("entries.read") as AnyOperation, receipt)
    : engine;

/** Subscribed from the call on, not from the first look. */
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
  // Only compared: of a long text its hash is kept.
  const kept = inputText.length > shortInput ? `sha256:${sha256(inputText)}` : inputText;
  return { key, sender, operation: op.name, input: kept, inputText };
}
