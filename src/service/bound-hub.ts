/** [N3] A hub that ends with another process, however that one ends. */
import { untilVariable } from "../contract/hub-state.ts";
import { hasDied, thisProcess } from "../orch/holder.ts";
import type { Environment } from "../platform/user-folders.ts";

/** For the environment of `inbox up`: its hub ends with this process. */
export const untilThisEnds = () => ({ [untilVariable]: thisProcess() });

const lookMs = 1000;

/** Calls `done` once the process that this hub was started for has ended; clear the timer if it is no longer needed. */
export function whenOwnerEnds({ [untilVariable]: owner }: Environment, done: () => void): Timer | undefined {
  return owner ? setInterval(() => hasDied(owner) && done(), lookMs) : undefined;
}
