/**
 * The one object every surface talks to: an engine, the bus's procedures, and waiting. `hand` gives an
 * answer that is not yet collected: whoever shows it confirms once it was shown, or gives it back.
 */
import { agents } from "./bus/procedures/agents.ts";
import { cancel } from "./bus/procedures/cancel.ts";
import { collect } from "./bus/procedures/collect.ts";
import { fetch } from "./bus/procedures/fetch.ts";
import { done, fail } from "./bus/procedures/finish.ts";
import { list } from "./bus/procedures/list.ts";
import { poolJoin, poolLeave } from "./bus/procedures/pool.ts";
import { release } from "./bus/procedures/release.ts";
import { renew } from "./bus/procedures/renew.ts";
import { reply } from "./bus/procedures/reply.ts";
import { send } from "./bus/procedures/send.ts";
import { sendPlain } from "./bus/procedures/send-plain.ts";
import { show } from "./bus/procedures/show.ts";
import { update } from "./bus/procedures/update.ts";
import type { Event } from "./contract/event.ts";
import type { Message } from "./contract/message.ts";
import { type AnyOperation, parseInput } from "./contract/operation.ts";
import {
  type InputOf,
  type OperationName,
  type OutputOf,
  operationNamed,
  type ParsedOf,
} from "./contract/operations/index.ts";
import type { Engine } from "./engines/engine.ts";
import { openSqlite, type SqliteOptions } from "./engines/sqlite/engine.ts";
import type { Context, Procedure, Refused } from "./sql/procedure.ts";
import { claimOrWait } from "./waiting/claim.ts";
import { waitReply } from "./waiting/wait-reply.ts";
import { follow, watch } from "./waiting/watch.ts";

/** Operations on the bus; those about the database itself are in local.ts. */
export type BusOperation = Exclude<OperationName, "bus.init" | "bus.doctor">;

export interface CallOptions {
  signal?: AbortSignal;
  /** How the surface calls an input field, for error messages. */
  label?: (key: string) => string;
}

export interface Handed<T> {
  value: T;
  /** The answer was shown: what it contains is collected now. */
  confirm(): Promise<void>;
  /** The answer could not be shown: as if the call had not been made, as far as that is possible. */
  giveBack(): Promise<void>;
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

type Handler<N extends BusOperation> = (
  engine: Engine,
  input: ParsedOf<N>,
  signal?: AbortSignal,
) => Promise<Handed<OutputOf<N>>>;

const doNothing = async () => {};
const nothingToCollect = <T>(value: T): Handed<T> => ({ value, confirm: doNothing, giveBack: doNothing });

const reads =
  <N extends BusOperation>(
    procedure: (tx: Context, input: ParsedOf<N>) => Procedure<OutputOf<N>>,
  ): Handler<N> =>
  (engine, input) =>
    engine.read((tx) => procedure(tx, input)).then(nothingToCollect);

const writes =
  <N extends BusOperation>(
    procedure: (tx: Context, input: ParsedOf<N>) => Procedure<OutputOf<N> | Refused>,
  ): Handler<N> =>
  (engine, input) =>
    engine.write((tx) => procedure(tx, input)).then(nothingToCollect);

const handlers: { [N in BusOperation]: Handler<N> } = {
  "threads.send": writes(send),
  "threads.reply": writes(reply),
  "threads.renew": writes(renew),
  "threads.release": writes(release),
  "threads.update": writes(update),
  "threads.done": writes(done),
  "threads.fail": writes(fail),
  "threads.cancel": writes(cancel),
  "threads.fetch": reads(fetch),
  "threads.list": reads(list),
  "threads.claim": handClaim,
  "threads.show": handShow,
  "threads.waitReply": handReply,
  "mailbox.send": writes(sendPlain),
  "pools.join": writes(poolJoin),
  "pools.leave": writes(poolLeave),
  "agents.list": reads(agents),
  "events.watch": (engine, input, signal) => watch(engine, input, signal).then(nothingToCollect),
};

async function handClaim(engine: Engine, input: ParsedOf<"threads.claim">, signal?: AbortSignal) {
  const { answer: value, fresh } = await claimOrWait(engine, input, signal);
  const { thread, lease } = value;
  if (!thread || !lease) return nothingToCollect(value);
  const { agent } = input;
  return {
    ...collecting(engine, value, { agent, thread: thread.threadId, messages: value.messages, read: false }),
    // The lease was granted to somebody who will never know: let another have it.
    giveBack: async () => {
      if (!fresh) return; // it was the caller's before, and stays so
      await engine.write((tx) => release(tx, { agent, thread: thread.threadId, leaseToken: lease.token }));
    },
  };
}

async function handShow(engine: Engine, input: ParsedOf<"threads.show">) {
  const value = await engine.read((tx) => show(tx, input));
  if (!input.markRead || input.agent === undefined) return nothingToCollect(value);
  return collecting(engine, value, {
    agent: input.agent,
    thread: input.thread,
    messages: value.messages,
    read: true,
  });
}

async function handReply(engine: Engine, input: ParsedOf<"threads.waitReply">, signal?: AbortSignal) {
  const value = await waitReply(engine, input, signal);
  if (input.agent === undefined) return nothingToCollect(value);
  return collecting(engine, value, {
    agent: input.agent,
    thread: input.thread,
    messages: value.messages,
    read: true,
  });
}

function collecting<T>(
  engine: Engine,
  value: T,
  what: { agent: string; thread: string; messages: readonly Message[]; read: boolean },
): Handed<T> {
  const messages = what.messages.map((message) => message.messageId);
  return {
    value,
    confirm: () => engine.write((tx) => collect(tx, { ...what, messages })),
    giveBack: doNothing,
  };
}

export function openInbox(path: string, options: SqliteOptions = {}): Inbox {
  const engine = openSqlite(path, options);

  const hand: Inbox["hand"] = async (name, input, options = {}) => {
    const parsed = parseInput(operationNamed(name) as AnyOperation, input, options.label);
    return handlers[name](engine, parsed, options.signal);
  };

  return {
    hand,
    async call(name, input, options) {
      const handed = await hand(name, input, options);
      await handed.confirm();
      return handed.value;
    },
    follow(input, options = {}) {
      const parsed = parseInput(operationNamed("events.watch"), input, options.label);
      return follow(engine, parsed, options.signal);
    },
    close: engine.close,
  };
}
