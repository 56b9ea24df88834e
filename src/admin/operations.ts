/** Operations about the database itself, and the files around it: they need no open one. */
import { type AnyOperation, parseInput } from "../contract/operation.ts";
import { type OutputOf, operationNamed, type ParsedOf } from "../contract/operations/index.ts";
import { type Asked, locate } from "../location/locate.ts";
import { busDoctor } from "./bus-doctor.ts";
import { busInit } from "./bus-init.ts";
import { busMigrate } from "./bus-migrate.ts";

export type LocalOperation =
  | "bus.init"
  | "bus.doctor"
  | "bus.migrate"
  | "bus.setup"
  | "bus.trust"
  | "bus.upgrade";

const handlers: { [N in LocalOperation]: (asked: Asked, input: ParsedOf<N>) => Promise<OutputOf<N>> } = {
  "bus.init": busInit,
  "bus.doctor": busDoctor,
  "bus.migrate": busMigrate,
  // Loaded when asked for: no other command needs them.
  "bus.trust": async (asked, input) =>
    (await import("./bus-trust.ts")).busTrust(locate(asked), asked.env, input),
  "bus.upgrade": async (asked) => (await import("./bus-upgrade.ts")).busUpgrade(asked),
  "bus.setup": async (asked, input) => (await import("../setup/bus-setup.ts")).busSetup(asked, input),
};

/** `label` names an input field the way the surface does. */
export async function runLocal<N extends LocalOperation>(
  name: N,
  asked: Asked,
  input: Record<string, unknown>,
  label: (key: string) => string,
): Promise<OutputOf<N>> {
  return handlers[name](asked, parseInput(operationNamed(name) as AnyOperation, input, label));
}
