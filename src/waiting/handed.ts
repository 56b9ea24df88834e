/** An answer on its way to its reader. One that collects nothing has neither of the two. */
export interface Handed<T> {
  value: T;
  /** The answer was shown: what it contains is collected now. */
  confirm?(): Promise<void>;
  /** The answer could not be shown: as if the call had not been made, as far as that is possible. */
  giveBack?(): Promise<void>;
  /** Nobody else sees what it contains any more, so confirming may come a moment after the answer. */
  hidden?: boolean;
}
