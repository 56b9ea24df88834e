/**
 * The port between the bus and the carrier that tells readers about messages. The database stores every message and
 * decides who gets it; a carrier only moves pointers, so that one hub of many is told, and not all. It has four
 * methods. How long a call waits, and for how many messages, does not depend on the carrier: that is in
 * waiting/take-mail.ts.
 */
export interface Pointer {
  id: number;
  agent: string;
  /** How long the message can still be read, by the database's clock. */
  expiresInMs: number | null;
}

/** A pointer that has arrived, and is held until it is settled. If its process dies, the broker has it again. */
export interface Arrival {
  id: number;
  /** The message needs no delivery any more. */
  done(): void;
  /** Another process may have it. */
  back(): void;
}

export interface Delivery {
  /** Starts to connect, and retries without a limit; no call waits for it. `whenUp`: called each time it can carry again. */
  connect(whenUp: () => void): void;
  close(): Promise<void>;
  /** Resolves when the carrier has stored them all; throws where it cannot now. */
  put(pointers: readonly Pointer[]): Promise<void>;
  /** From now on pointers for an agent go to `take`, until the returned function is called. */
  get(agent: string, take: (arrival: Arrival) => void): () => void;
  /** Forgets an agent that has finished. */
  cleanup(agent: string): Promise<void>;
  /** Whether it can carry at this moment; otherwise the database delivers. */
  up(): boolean;
}
