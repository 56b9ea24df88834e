/** Operations about the database itself, and the files around it: they need no open one. */
import { type AnyOperation, parseInput } from "../contract/operation.ts";
import { type OutputOf, operationNamed, type ParsedOf } from "../contract/operations/index.ts";
import { type Asked, locate } from "../location/locate.ts";
import { busInit } from "./bus-init.ts";

export type LocalOperation =
  | "bus.init"
  | "bus.doctor"
  | "bus.migrate"
  | "bus.setup"
  | "bus.trust"
  | "bus.backup"
  | "bus.restore"
  | "bus.import"
  | "bus.up"
  | "bus.down"
  | "bus.status"
  | "bus.upgrade";

const handlers: { [N in LocalOperation]: (asked: Asked, input: ParsedOf<N>) => Promise<OutputOf<N>> } = {
  "bus.init": busInit,
  // Loaded when needed: no other command needs them.
  "bus.doctor": async (asked, input) => (await import("./bus-doctor.ts")).busDoctor(asked, input),
  "bus.migrate": async (asked, input) => (await import("./bus-migrate.ts")).busMigrate(asked, input),
  "bus.trust": async (asked, input) =>
    (await import("./bus-trust.ts")).busTrust(locate(asked), asked.env, input),
  "bus.backup": async (asked, input) => (await import("./bus-backup.ts")).busBackup(asked, input),
  "bus.restore": async (asked, input) => (await import("./bus-restore.ts")).busRestore(asked, input),
  "bus.import": async (asked, input) => (await import("./bus-import.ts")).busImport(asked, input),
  "bus.up": async (asked, input) => (await import("./bus-up.ts")).busUp(asked, input),
  "bus.down": async (asked) => (await import("./bus-down.ts")).busDown(asked),
  "bus.status": async (asked) => (await import("./bus-status.ts")).busStatus(asked),
  "bus.upgrade": async (asked) => (await import("./bus-upgrade.ts")).busUpgrade(asked),
  "bus.setup": async (asked, input) => (await import("../setup/bus-setup.ts")).busSetup(asked, input),
};

export async function runLocal<N extends LocalOperation>(
  name: N,
  asked: Asked,
  input: Record<string, unknown>,
): Promise<OutputOf<N>> {
  return handlers[name](asked, parseInput(operationNamed(name) as AnyOperation, input));
}

/** [Y7] The one whose answer may be a stream: `write` takes it. */
export async function runExport(
  asked: Asked,
  input: Record<string, unknown>,
  write: (text: string) => Promise<boolean>,
): Promise<OutputOf<"bus.export"> | undefined> {
  const { busExport } = await import("./bus-export.ts");
  return busExport(asked, parseInput(operationNamed("bus.export"), input), write);
}
