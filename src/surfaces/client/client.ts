/**
 * The bus over HTTP, behind the same interface as the embedded one. Writes carry an idempotency key, so that one
 * whose answer was lost can be sent again; waits are split into requests (long-wait.ts); an answer is confirmed once
 * it was received.
 */

import type { NoteAtBegin } from "../../contract/begin-note.ts";
import { newClientKey } from "../../contract/client-key.ts";
import { type AnyOperation, checkKey, parseInput } from "../../contract/operation.ts";
import {
  type InputOf,
  type OperationName,
  type OutputOf,
  operationNamed,
} from "../../contract/operations/index.ts";
import { type Releasing, releasing } from "../../contract/receipt.ts";
import { patiently } from "./long-wait.ts";
import { again, notKnown, type Sent, send, tell, type Wire } from "./request.ts";
import { events } from "./stream.ts";

export interface ClientOptions {
  token?: string;
  /** A replacement for `fetch`. */
  fetch?: Wire["fetch"];
  /** [A5.8] A model calls, which is never the person. */
  byModel?: boolean;
  /** [G4.3] Called when the hub of a wait has been gone for a few seconds, once until it is back. */
  onAway?: () => void;
}

export interface ClientCall {
  signal?: AbortSignal;
  idempotencyKey?: string;
  /** [M13] [L11] Called when a wait without an end begins, and names look misspelled or the agent holds threads. */
  noteAtBegin?: NoteAtBegin;
}

type Remote = Exclude<OperationName, `bus.${string}`>;

interface HandedOver<T> {
  value: T;
  confirm?(): Promise<void>;
  release?(how?: Releasing): Promise<void>;
}

export function connect(address: string, options: ClientOptions = {}) {
  const wire: Wire = {
    url: address.replace(/\/+$/, ""),
    token: options.token,
    byModel: options.byModel,
    onAway: options.onAway,
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
  };

  async function hand<N extends Remote>(
    name: N,
    input: InputOf<N>,
    options: ClientCall = {},
  ): Promise<HandedOver<OutputOf<N>>> {
    const op = operationNamed(name) as AnyOperation;
    // With a token the hub knows who is calling; without one, the input can be checked here, in the caller's terms.
    const checked = wire.token === undefined ? parseInput(op, input) : (input as Record<string, unknown>);
    checkKey(op, options.idempotencyKey);
    if (op.kind === "wait") return handOver(wire, await patiently(wire, op, checked, options));
    return handOver(wire, await repeatedly(wire, op, checked, options));
  }

  return {
    hand,
    async call<N extends Remote>(name: N, input: InputOf<N>, options?: ClientCall): Promise<OutputOf<N>> {
      const handed = await hand(name, input, options);
      await handed.confirm?.();
      return handed.value;
    },
    follow: (input: InputOf<"events.watch">, { signal }: ClientCall = {}) =>
      events(wire, parseInput(operationNamed("events.watch"), input), signal),
    close: async () => {},
  };
}

function handOver<T>(wire: Wire, { value, handOver }: Sent): HandedOver<T> {
  if (handOver === undefined) return { value: value as T };
  return {
    value: value as T,
    confirm: () => tell(wire, "confirm", handOver),
    release: (how) => tell(wire, "release", releasing(handOver, how)),
  };
}

/** A read changes nothing and a write with a key is applied once: both may be retried. */
async function repeatedly(
  wire: Wire,
  op: AnyOperation,
  input: Record<string, unknown>,
  options: ClientCall,
): Promise<Sent> {
  const idempotencyKey = options.idempotencyKey ?? (op.kind === "write" ? newClientKey() : undefined);
  const write = () => send(wire, op, input, { idempotencyKey, signal: options.signal });
  const sent = await again(write, (error) =>
    idempotencyKey === undefined ? error : notKnown(op, wire, idempotencyKey, error),
  );
  // Our own key is internal: the caller need not know that a first try had arrived.
  if (options.idempotencyKey === undefined) delete (sent.value as { deduplicated?: boolean }).deduplicated;
  return sent;
}
