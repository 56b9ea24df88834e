/** [N4] What doctor finds: a check, and how it is repaired, or why doctor leaves that to a person. */
import type { OutputOf } from "./operations/index.ts";
import type { Text } from "./phrase.ts";

type Check = OutputOf<"bus.doctor">["checks"][number];

/** Does it, and says what was done. Throws where it cannot be done now. */
export type Repair = () => Promise<string> | string;

interface Well extends Check {
  status: "ok";
}

/** Whatever is wrong has one of the two: the compiler asks for it. */
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

/** Reasons that several have. */
export const reasons = {
  decision: "somebody has to decide what becomes of it",
  server: "it is a setting of the server",
  machine: "it is this machine's, not the bus's",
} as const;
