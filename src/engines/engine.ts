/** The port between the bus and its storage. It has few methods: a wide port is what makes adapters huge. */
import type { PlainCase } from "../sql/plain.ts";
import type { Work } from "../sql/procedure.ts";

export type { Work } from "../sql/procedure.ts";

export interface EngineOptions {
  /** The engine's clock, in milliseconds since the epoch. Only tests replace it. */
  now?: () => number;
  /**
   * [G6] Rows of a statement without `order by` come in the reverse of their usual order, so that a test notices code
   * that relies on that order.
   */
  reverseUnordered?: boolean;
  /** One process of very many: it holds a connection to a server only while it uses it. */
  frugal?: boolean;
  /**
   * A command that does one thing and exits: it does not close its connection, and work that can wait is left to
   * other processes.
   */
  brief?: boolean;
  /** The process does nothing else while it waits: its thread may be blocked then. */
  alone?: boolean;
  /** Every write is done by its procedure, step by step. Tests only: both ways must do the same. */
  stepwise?: boolean;
  /**
   * Where an engine that is closed leaves its connections to a server, for the next one. Tests only: most tests are
   * shorter than making a connection.
   */
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
  /** Finds the answer of a write that was committed, if the answer was lost with the connection. */
  found?: Work<T>;
  /** The write can be repeated ([M9]), even if it is not known whether the first one was committed. */
  repeatable?: boolean;
  /**
   * Where the procedure may have to wait (`waitInLine`): only with others of this line, so that it has no locks that others need
   * meanwhile. For a moment after one had to, the next ones do so at once.
   */
  line?: string;
  /** The plain case as one statement, for an engine that needs a round trip for each step of the procedure. */
  plain?: PlainCase<T>;
}

export interface Engine {
  /** The process makes one call and ends (`EngineOptions.brief`). */
  readonly brief: boolean;
  /** Runs a procedure on a snapshot; it must not change the database. */
  read<T>(work: Work<T>): Promise<T>;
  /** Runs a procedure in a transaction and returns once it is durable. A refusal is thrown after its commit. */
  write<T>(work: Work<T>, options?: WriteOptions<T>): Promise<T>;
  /** From this call on, remembers whether one of the topics was touched. */
  subscribe(topics: readonly string[]): Subscription;
  /** The same for mail to an agent, whatever carries it. */
  mail(agent: string): Subscription;
  /** A piece of work as this engine's caller would do it, for `Subscription.next`. */
  asCaller<T>(work: Work<T>): Work<T>;
  /** [B8] Records that an agent has an open wait, until the returned function is called. */
  attend(agent: string): () => void;
  /** The agents with an open wait, here or in another process. */
  attending(): Promise<Set<string>>;
  /**
   * [Y4] Rewrites the whole file without its unused space, and returns by how many bytes it shrank. Undefined if a
   * server manages its files.
   */
  compact?(): Promise<number>;
  /** [Y4] Whether unused space is given back in small steps; if not, only rewriting the file does. Undefined as above. */
  givesBack?(): boolean;
  /** The version of the schema that this program knows. */
  readonly knownSchema: number;
  /** [S3.4] The one that the database has now: a newer program may have migrated it while this process has it open. */
  storedSchema(): Promise<number>;
  close(): Promise<void>;
}

/** Ends a wait: an `AbortSignal`, or something of a caller's own that takes less memory. */
export interface EndSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: Ended): void;
  removeEventListener(type: "abort", listener: Ended): void;
}

/** Told when it ends. */
export interface Ended {
  handleEvent(): void;
}

export interface Subscription {
  /**
   * Resolves when something may have changed since the last call, or after `atMost` milliseconds. It is only a hint:
   * read again. It resolves at most a second after any change.
   *
   * `take`: what the waiter would do then. An engine may run it already in the transaction that brings the change, as if it came right
   * after it, and resolves with what it returned unless that is undefined.
   */
  next<T>(options: {
    atMost?: number;
    signal?: EndSignal;
    take?: Work<T | undefined>;
  }): Promise<T | undefined>;
  close(): void;
}
