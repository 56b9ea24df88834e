/**
 * The bus as programs use it: `inbox.threads.claim({ agent })`. Every operation of the table is a method; only
 * `messages` is written by hand, because its protocol takes a channel or an id first and answers with the thing itself.
 */
import type { ChannelMessage } from "../contract/channel-message.ts";
import type { Event } from "../contract/event.ts";
import type { AnyOperation } from "../contract/operation.ts";
import { type InputOf, type OperationName, type OutputOf, table } from "../contract/operations/index.ts";
import type { Spelling } from "../contract/phrase.ts";
import { answerable } from "./answerable.ts";

export interface CallOptions {
  signal?: AbortSignal;
  /** On a write: the same key from the same sender is the same write. */
  idempotencyKey?: string;
}

type Remote = Exclude<OperationName, `bus.${string}`>;

/** What embedded and remote have in common. */
export interface Bus {
  call<N extends Remote>(name: N, input: InputOf<N>, options?: CallOptions): Promise<OutputOf<N>>;
  follow(input: InputOf<"events.watch">, options?: CallOptions): AsyncGenerator<Event>;
  close(): Promise<void>;
}

/** Who acts may be left out where the program said who it is. */
type Identified<T> = Omit<T, "agent" | "from" | "sender"> &
  Partial<Pick<T, Extract<keyof T, "agent" | "from" | "sender">>>;
type Prefix<N extends string> = N extends `${infer P}.${string}` ? P : never;
type Methods<P extends string> = {
  [N in Remote as N extends `${P}.${infer M}` ? M : never]: (
    input: Identified<InputOf<N>>,
    options?: CallOptions,
  ) => Promise<OutputOf<N>>;
};

type ReadOptions = Omit<InputOf<"messages.inbox">, "channel">;

/** Each of its operations: the compiler asks for one that is left out. */
type EveryMessageMethod = { [N in Remote as N extends `messages.${infer M}` ? M : never]: unknown };

interface Messages extends EveryMessageMethod {
  send(
    input: Identified<InputOf<"messages.send">>,
    options?: CallOptions,
  ): Promise<OutputOf<"messages.send">>;
  inbox(channel: string, filter?: ReadOptions, options?: CallOptions): Promise<ChannelMessage[]>;
  /** The same, once there is something to read; nothing after `timeoutSeconds`. */
  wait(
    channel: string,
    filter?: Omit<InputOf<"messages.wait">, "channel">,
    options?: CallOptions,
  ): Promise<ChannelMessage[]>;
  read(
    id: number,
    part?: Omit<InputOf<"messages.read">, "id">,
    options?: CallOptions,
  ): Promise<OutputOf<"messages.read">>;
  ack(id: number, options?: CallOptions): Promise<ChannelMessage & { already: boolean }>;
  ackAll(channel: string, options?: CallOptions): Promise<OutputOf<"messages.ackAll">>;
  pending(channel: string, options?: CallOptions): Promise<number>;
  readers(channel: string, options?: CallOptions): Promise<OutputOf<"messages.readers">["readers"]>;
  channels(
    input?: InputOf<"messages.channels">,
    options?: CallOptions,
  ): Promise<OutputOf<"messages.channels">>;
  gc(input?: InputOf<"messages.gc">, options?: CallOptions): Promise<OutputOf<"messages.gc">>;
  replies(correlationId: string, options?: CallOptions): Promise<ChannelMessage[]>;
  status(id: number, options?: CallOptions): Promise<OutputOf<"messages.status">>;
}

export type Namespaces = { [P in Exclude<Prefix<Remote>, "messages" | "events">]: Methods<P> } & {
  messages: Messages;
  events: Methods<"events"> & {
    /** Every event from a cursor on, as it happens. */
    follow(filter?: InputOf<"events.watch">, options?: CallOptions): AsyncGenerator<Event>;
  };
  close(): Promise<void>;
};

interface CalledBy {
  /** Who every call is by, unless it says otherwise. */
  agent?: string;
  /** The same for channels, where nobody in particular may write. */
  channelAgent?: string;
  /** How errors refer to calls and fields. */
  spelling: Spelling;
}

export function namespaces(
  opened: Bus,
  { agent, channelAgent: who = agent, spelling }: CalledBy,
): Namespaces {
  const bus = answerable(opened, spelling);
  const all: Record<string, Record<string, unknown>> = {};
  const invoke = (op: AnyOperation, input: object, options?: CallOptions) => {
    const key = op.cli.identity;
    if (typeof input !== "object" || input === null)
      return bus.call(op.name as Remote, input as never, options);
    const known = key === undefined || agent === undefined ? {} : { [key]: agent };
    return bus.call(op.name as Remote, { ...known, ...input } as never, options);
  };
  for (const op of table as readonly AnyOperation[]) {
    const [prefix, method] = op.name.split(".") as [string, string];
    if (prefix === "bus") continue;
    all[prefix] ??= {};
    all[prefix][method] = (input: object = {}, options?: CallOptions) => invoke(op, input, options);
  }
  const onChannel = (method: keyof Messages, input: object, options?: CallOptions) =>
    (all.messages![method] as (input: object, options?: CallOptions) => Promise<never>)(input, options);
  const acker = who === undefined ? {} : { agent: who };
  const messages: Messages = {
    send: (input, options) =>
      onChannel("send", { ...(who !== undefined && { sender: who }), ...input }, options),
    inbox: async (channel, filter, options) =>
      ((await onChannel("inbox", { channel, ...filter }, options)) as OutputOf<"messages.inbox">).messages,
    wait: async (channel, filter, options) =>
      ((await onChannel("wait", { channel, ...filter }, options)) as OutputOf<"messages.wait">).messages,
    read: (id, part, options) => onChannel("read", { id, ...part }, options),
    ack: async (id, options) => {
      const { message, already } = (await onChannel(
        "ack",
        { id, ...acker },
        options,
      )) as OutputOf<"messages.ack">;
      return { ...message, already };
    },
    ackAll: (channel, options) => onChannel("ackAll", { channel, ...acker }, options),
    pending: async (channel, options) =>
      ((await onChannel("pending", { channel }, options)) as OutputOf<"messages.pending">).count,
    readers: async (channel, options) =>
      ((await onChannel("readers", { channel }, options)) as OutputOf<"messages.readers">).readers,
    channels: (input = {}, options) => onChannel("channels", input, options),
    gc: (input = {}, options) => onChannel("gc", input, options),
    replies: async (correlationId, options) =>
      ((await onChannel("replies", { correlationId }, options)) as OutputOf<"messages.replies">).messages,
    status: (id, options) => onChannel("status", { id }, options),
  };
  const events = {
    ...all.events,
    follow: (filter = {}, options?: CallOptions) => bus.follow(filter, options),
  };
  return { ...all, messages, events, close: () => bus.close() } as unknown as Namespaces;
}
