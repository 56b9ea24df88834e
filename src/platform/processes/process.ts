/** What is known of a process, whichever way it is asked. */

export interface Stat {
  /** One letter, of which `Z` and `X` are dead, and `T` is stopped. */
  state: string;
  parent: number;
  /** The process that began its session. Where that is not known, its process group's. */
  session: number;
  /** The same for as long as it lives, and another for the next process with its number. Empty where it could not be asked. */
  start: string;
}

/** The environment a process was started with. */
export interface Variables {
  /** Whether there is one of that name, and with that value where one is given. */
  has(name: string, value?: string): boolean;
  /** As `NAME=value`. */
  all(): string[];
}

/**
 * One look at the processes of this machine. By /proc each is read when it is asked for; by `ps` all were read at once, when the
 * look began.
 */
export interface Look {
  /** All were read at once: whatever one that has gone had started is listed too. */
  atOnce: boolean;
  pids(): number[];
  stat(pid: number): Stat | undefined;
  variables(pid: number): Variables;
  /** Undefined where the system keeps no lists of children. */
  children(pid: number): number[] | undefined;
  /** Whether its words, its own name first, begin with these. */
  hasWords(pid: number, words: readonly string[]): boolean;
  /** The path of the file it executes; empty where that is not known. */
  executable(pid: number): string;
  /** Whether it bears the number (brand.ts); undefined where it has gone by now. */
  isBranded(pid: number, brand: number): boolean | undefined;
}

/** A way of asking. */
export interface Way {
  boot(): string;
  look(): Look;
  statOf(pid: number): Stat | undefined;
  /** Whether two times of start are the same. */
  isSameStart(one: string, other: string): boolean;
}
