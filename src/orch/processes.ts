/**
 * Processes as the system knows them. A pid alone is nobody: it is given again. So one is written `pid:start:boot`, and it
 * lives only if a process with that pid was started at that time since that boot, and is no zombie.
 */
import { fs } from "../platform/system.ts";

export interface Stat {
  state: string;
  parent: number;
  session: number;
  start: string;
}

export function statOf(pid: number): Stat | undefined {
  const text = readText(`/proc/${pid}/stat`);
  if (text === "") return undefined;
  // The program's name is in brackets and may hold anything.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0]!, parent: Number(fields[1]), session: Number(fields[3]), start: fields[19]! };
}

let boot: string | undefined;

export function bootId(): string {
  boot ??= readText("/proc/sys/kernel/random/boot_id").trim() || "unknown";
  return boot;
}

/** Empty where there is none, or none for us. */
export function readText(path: string, encoding: "latin1" | "utf8" = "latin1"): string {
  try {
    return fs().readFileSync(path, encoding);
  } catch {
    return "";
  }
}

export function readLink(path: string): string {
  try {
    return fs().readlinkSync(path);
  } catch {
    return "";
  }
}

export const identityOf = (pid: number) => `${pid}:${statOf(pid)?.start ?? ""}:${bootId()}`;
export const pidIn = (identity: string) => Number(identity.split(":", 1)[0]);
export const bootIn = (identity: string) => identity.split(":")[2];

export const isDead = ({ state }: Stat) => state === "Z" || state === "X";

function found(identity: string | null): Stat | undefined {
  if (identity === null || bootIn(identity) !== bootId()) return undefined;
  const stat = statOf(pidIn(identity));
  return stat && stat.start === identity.split(":")[1] && !isDead(stat) ? stat : undefined;
}

export const lives = (identity: string | null) => found(identity) !== undefined;

/** Somebody has stopped it with a signal: it lives, and does nothing. */
export const isStopped = (identity: string | null) => found(identity)?.state === "T";
