/** [N4] What doctor finds: a check, and its repair, or the reason why doctor leaves that to a person. */
import type { OutputOf } from "./operations/index.ts";
import type { Text } from "./phrase.ts";

type Check = OutputOf<"bus.doctor">["checks"][number];

/** Repairs it, and returns what was done. Throws if that is not possible now. */
export type Repair = () => Promise<string> | string;

/** What is no problem may be tidied up nevertheless. */
interface Well extends Check {
  status: "ok";
  repair?: Repair;
}

/** A problem has one of the two: the compiler requires it. */
interface Problem extends Check {
  status: "warn" | "fail";
  fix: Text;
}

export type Finding = Well | (Problem & ({ repair: Repair } | { left: Text }));

export interface Diagnosis {
  healthy: boolean;
  checks: Finding[];
}

export const well = (name: string, detail: string): Finding => ({ name, status: "ok", detail });

export const diagnosis = (checks: Finding[]): Diagnosis => ({
  healthy: checks.every(({ status }) => status !== "fail"),
  checks,
});

/** Reasons that several findings share. */
export const reasons = {
  decision: "somebody has to decide what becomes of it",
  server: "it is a setting of the server",
  machine: "it is this machine's, not the bus's",
} as const;
