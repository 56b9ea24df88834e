/** The port between the bus and where it is stored. Few verbs; width is what makes adapters huge. */
import type { Context, Procedure, Refused } from "../sql/procedure.ts";

export type Work<T> = (tx: Context) => Procedure<T | Refused>;

export interface EngineOptions {
  /** The engine's clock, milliseconds since the epoch. Tests move it; nobody else does. */
  now?: () => number;
  /** [G6] What a statement without `order by` finds comes in the reverse of its usual order, so that a test sees who relied on that. */
  reverseUnordered?: boolean;
  /** One process of very many: it holds a connection to a server only while it uses it. */
  frugal?: boolean;
  /** A command that does one thing and ends: it leaves without a farewell, and what can wait is left to those who stay. */
  brief?: boolean;
  /** Where an engine that closes leaves its connections to a server, for the next one there. Tests only: most are over sooner than a connection is made. */
  spare?: Spare;
}

/** `place` is where a connection leads to. */
export interface Spare {
  take(place: string): Spared | undefined;
  leave(place: string, connection: Spared): void;
}

export interface Spared {
  close(): Promise<void>;
}

export interface WriteOptions<T = unknown> {
  /** Finds the answer of a write that was committed, where it was lost with the connection. */
  found?: Work<T>;
  /** Running it a second time does no harm ([M9]), even if nobody knows whether the first one was committed. */
  repeatable?: boolean;
}

export interface Engine {
  /** Runs a procedure on a snapshot; nothing it does may change the database. */
  read<T>(work: Work<T>): Promise<T>;
  /** Runs a procedure in a transaction and answers once it is durable. A refusal is thrown after its commit. */
  write<T>(work: Work<T>, options?: WriteOptions<T>): Promise<T>;
  /** From this call on remembers whether one of the topics was touched. */
  subscribe(topics: readonly string[]): Subscription;
  /** The same for what an agent is sent, whoever carries it. */
  mail(agent: string): Subscription;
  /** [B8] Notes that an agent has a wait open, until the answer is called. */
  attend(agent: string): () => void;
  /** The agents that have a wait open, here or in another process. */
  attending(): Promise<Set<string>>;
  /** [Y4] Rewrites the whole file without what is unused in it, and answers by how many bytes it shrank. Undefined where a server looks after its files. */
  compact?(): Promise<number>;
  /** [Y4] Whether space is given back bit by bit; where it is not, only rewriting the file does. Undefined as above. */
  givesBack?(): boolean;
  close(): Promise<void>;
}

export interface Subscription {
  /**
   * Resolves when something may have changed since the last call, or after `atMost` milliseconds. A hint,
   * never the truth: read again. It resolves at the latest a second after any change.
   */
  next(options: { atMost?: number; signal?: AbortSignal }): Promise<void>;
  close(): void;
}
