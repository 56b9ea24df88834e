/**
 * The port between the bus and whoever carries word of a message to its reader. The database remembers every message and
 * decides who gets it; a carrier only moves pointers, so that of many hubs one is told, and not all. Four verbs. How long
 * somebody waits, and for how many, is the same whoever carries: that is in waiting/take-mail.ts.
 */
export interface Pointer {
  id: number;
  agent: string;
  /** How long the message can still be read, by the database's clock. */
  expiresInMs: number | null;
}

/** A pointer that came, and is held until it is settled. Whoever dies with it in hand gives it back. */
export interface Arrival {
  id: number;
  /** The message needs nobody any more. */
  done(): void;
  /** Somebody else may have it. */
  back(): void;
}

export interface Delivery {
  /** Begins to connect, and goes on trying for as long as it takes; nobody waits for it. `whenUp`: called each time it can carry again. */
  connect(whenUp: () => void): void;
  close(): Promise<void>;
  /** Resolves when the carrier has stored them all; throws where it cannot now. */
  put(pointers: readonly Pointer[]): Promise<void>;
  /** From now on what comes for an agent goes to `take`, until the answer is called. */
  get(agent: string, take: (arrival: Arrival) => void): () => void;
  /** Forgets an agent that is gone. */
  cleanup(agent: string): Promise<void>;
  /** Whether it carries at this moment; else the database does. */
  up(): boolean;
}
