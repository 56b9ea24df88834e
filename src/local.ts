/** Operations about the database itself, and the files around it: they need no open one. */
import { InboxError } from "./contract/errors.ts";
import { type AnyOperation, parseInput } from "./contract/operation.ts";
import { type OutputOf, operationNamed, type ParsedOf } from "./contract/operations/index.ts";
import { checkBroker } from "./delivery/at.ts";
import { createBus, diagnose, schemaVersion, shown } from "./engines/at.ts";
import { type Asked, brokerOf, isHub, keepOutOfGit, locate, locateNew } from "./location.ts";
import { migrate } from "./migrate.ts";

export type LocalOperation = "bus.init" | "bus.doctor" | "bus.migrate" | "bus.setup";

const handlers: { [N in LocalOperation]: (asked: Asked, input: ParsedOf<N>) => Promise<OutputOf<N>> } = {
  "bus.init": async (asked) => {
    const { path, outer } = locateNew(asked);
    if (isHub(path)) throw onlyFiles("init", path, "the hub creates its database by itself");
    const created = await createBus(path);
    if (created) keepOutOfGit(path);
    return {
      db: shown(path),
      created,
      schemaVersion: schemaVersion(path),
      ...(created && outer !== undefined && { outer }),
    };
  },
  "bus.doctor": async (asked) => {
    const path = locate(asked);
    if (isHub(path))
      throw onlyFiles(
        "doctor",
        path,
        `look at ${shown(path)}/readyz and /metrics, or run it where the hub runs`,
      );
    const report = await diagnose(path);
    const broker = brokerOf(asked.delivery, asked.env);
    const carrier = broker === undefined ? [] : [await checkBroker(broker)];
    return { ...report, checks: [...report.checks, ...carrier, await hubCheck(shown(path))] };
  },
  "bus.migrate": migrate,
  // Loaded when asked for: no other command needs it.
  "bus.setup": async (asked, input) => (await import("./setup/setup.ts")).setup(asked, input),
};

const usualHub = "http://127.0.0.1:3456";

/** Whether a hub serves this database, where one usually is. None is nothing wrong. */
async function hubCheck(db: string): Promise<OutputOf<"bus.doctor">["checks"][number]> {
  const answer = await fetch(`${usualHub}/healthz`, { signal: AbortSignal.timeout(500) })
    .then((response) => response.json() as Promise<{ program?: string; db?: string; pid?: number }>)
    .catch(() => undefined);
  const none = { name: "hub", status: "ok" as const, detail: `none at ${usualHub}; it is not needed` };
  if (answer?.program !== "restante") return none;
  const which = answer.db === db ? "this database" : `another database, ${answer.db}`;
  return { name: "hub", status: "ok", detail: `${usualHub} (process ${answer.pid}) serves ${which}` };
}

const onlyFiles = (command: string, path: string, hint: string) =>
  new InboxError("invalid_input", `${command} works on a database, and ${path} is a hub`, { hint });

/** `label` names an input field the way the surface does. */
export async function runLocal<N extends LocalOperation>(
  name: N,
  asked: Asked,
  input: Record<string, unknown>,
  label: (key: string) => string,
): Promise<OutputOf<N>> {
  return handlers[name](asked, parseInput(operationNamed(name) as AnyOperation, input, label));
}
