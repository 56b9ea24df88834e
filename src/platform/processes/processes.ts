/**
 * Processes as the system knows them. A pid alone does not identify a process, because it is reused. So one is
 * written `pid:start:boot`, and it is alive only if a process with that pid was started at that time since that boot,
 * and is not a zombie.
 */
import { isPortable } from "../portable.ts";
import { byProc } from "./by-proc.ts";
import type { Look, Stat, Way } from "./process.ts";

let chosen: Way | undefined;

function way(): Way {
  chosen ??= isPortable() ? (require("./by-ps.ts") as typeof import("./by-ps.ts")).byPs : byProc;
  return chosen;
}

const unknown = "unknown";
let boot = unknown;

function bootId(): string {
  if (boot === unknown) boot = way().boot() || unknown;
  return boot;
}

export const lookAround = (): Look => way().look();
export const statOf = (pid: number): Stat | undefined => way().statOf(pid);

export const identityOf = (pid: number) => `${pid}:${statOf(pid)?.start ?? ""}:${bootId()}`;
export const pidIn = (identity: string) => Number(identity.split(":", 1)[0]);

/** If one of the two is unknown, no process counts as dead because of it. */
export function isOfThisBoot(identity: string): boolean {
  const its = identity.split(":")[2];
  return its === bootId() || its === unknown || bootId() === unknown;
}

export const isDead = ({ state }: Stat) => state === "Z" || state === "X";
export const isSameStart = (one: string, other: string) => way().isSameStart(one, other);

function found(identity: string | null, stats: (pid: number) => Stat | undefined = statOf): Stat | undefined {
  if (identity === null || !isOfThisBoot(identity)) return undefined;
  const stat = stats(pidIn(identity));
  const start = identity.split(":")[1] ?? "";
  return stat && isSameStart(stat.start, start) && !isDead(stat) ? stat : undefined;
}

export const lives = (identity: string | null) => found(identity) !== undefined;

/** The same for many processes, with one look; one that is not in it is checked separately. */
export function livesNow(): typeof lives {
  let look: Look | undefined;
  return (identity) => {
    look ??= lookAround();
    return found(identity, look.stat) !== undefined || lives(identity);
  };
}

/** It was stopped by a signal: it is alive, and does nothing. */
export const isStopped = (identity: string | null) => found(identity)?.state === "T";
