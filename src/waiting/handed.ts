/** An answer on its way to its reader. */
export interface Handed<T> {
  value: T;
  /** The answer was shown: what it contains is collected now. */
  confirm(): Promise<void>;
  /** The answer could not be shown: as if the call had not been made, as far as that is possible. */
  giveBack(): Promise<void>;
  /** Where confirming is left to somebody far away: what to confirm. */
  deliveryId?: string;
}
