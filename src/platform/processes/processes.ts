/**
 * Processes as the system knows them. A pid alone is nobody: it is given again. So one is written `pid:start:boot`, and it
 * lives only if a process with that pid was started at that time since that boot, and is no zombie.
 */
import { isPortable } from "../portable.ts";
import { byProc } from "./by-proc.ts";
import type { Look, Stat, Way } from "./process.ts";

let chosen: Way | undefined;

function way(): Way {
  chosen ??= isPortable() ? (require("./by-ps.ts") as typeof import("./by-ps.ts")).byPs : byProc;
  return chosen;
}

let boot: string | undefined;

export function bootId(): string {
  boot ??= way().boot() || "unknown";
  return boot;
}

export const lookAround = (): Look => way().look();
export const statOf = (pid: number): Stat | undefined => way().statOf(pid);

export const identityOf = (pid: number) => `${pid}:${statOf(pid)?.start ?? ""}:${bootId()}`;
export const pidIn = (identity: string) => Number(identity.split(":", 1)[0]);
export const bootIn = (identity: string) => identity.split(":")[2];

export const isDead = ({ state }: Stat) => state === "Z" || state === "X";
export const isSameStart = (one: string, other: string) => way().isSameStart(one, other);

function found(identity: string | null): Stat | undefined {
  if (identity === null || bootIn(identity) !== bootId()) return undefined;
  const stat = statOf(pidIn(identity));
  const start = identity.split(":")[1] ?? "";
  return stat && isSameStart(stat.start, start) && !isDead(stat) ? stat : undefined;
}

export const lives = (identity: string | null) => found(identity) !== undefined;

/** Somebody has stopped it with a signal: it lives, and does nothing. */
export const isStopped = (identity: string | null) => found(identity)?.state === "T";
