/** Operations about the database itself, and the files around it: they need no open one. */
import { InboxError } from "./contract/errors.ts";
import { type AnyOperation, parseInput } from "./contract/operation.ts";
import { type OutputOf, operationNamed, type ParsedOf } from "./contract/operations/index.ts";
import { createOwnBus } from "./create-bus.ts";
import { checkBroker } from "./delivery/at.ts";
import { diagnose, notedHub, schemaVersion, shown } from "./engines/at.ts";
import { trackedByGit } from "./git-index.ts";
import { type Asked, brokerOf, isHub, isServer, locate, locateNew } from "./location.ts";
import { migrate } from "./migrate.ts";
import { isBusTrusted } from "./trust.ts";

export type LocalOperation = "bus.init" | "bus.doctor" | "bus.migrate" | "bus.setup" | "bus.trust";

const handlers: { [N in LocalOperation]: (asked: Asked, input: ParsedOf<N>) => Promise<OutputOf<N>> } = {
  "bus.init": async (asked) => {
    const { path, outer } = locateNew(asked);
    if (isHub(path)) throw onlyFiles("init", path, "the hub creates its database by itself");
    const warnings: string[] = [];
    const created = await createOwnBus(path, (message) => warnings.push(message));
    const tracked = trackedFiles(path);
    if (tracked) warnings.push(`${tracked.detail}; ${tracked.fix}`);
    return {
      db: shown(path),
      created,
      schemaVersion: schemaVersion(path),
      ...(created && outer !== undefined && { outer }),
      trusted: isBusTrusted(path, asked.env),
      ...(warnings.length > 0 && { warnings }),
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
    const tracked = trackedFiles(path);
    const checks = [...report.checks, trustCheck(path, asked.env), ...(tracked ? [tracked] : []), ...carrier];
    return { ...report, checks: [...checks, await hubCheck(path)] };
  },
  "bus.migrate": migrate,
  // Loaded when asked for: no other command needs them.
  "bus.trust": async (asked, input) =>
    (await import("./trusting.ts")).trustAsked(locate(asked), asked.env, input),
  "bus.setup": async (asked, input) => (await import("./setup/setup.ts")).setup(asked, input),
};

type Check = OutputOf<"bus.doctor">["checks"][number];

/** [X7] What is in a repository is everybody's who can push to it, and comes to everybody who clones it. */
function trackedFiles(path: string): Check | undefined {
  if (isServer(path)) return undefined;
  const tracked = trackedByGit(["", "-wal", "-shm", "-journal"].map((end) => `${path}${end}`));
  if (!tracked.length) return undefined;
  return {
    name: "git",
    status: "warn",
    detail: `git tracks ${tracked.join(" and ")}: mail is in the repository, and a checkout replaces it`,
    fix: `git rm --cached ${tracked.join(" ")}`,
  };
}

function trustCheck(path: string, env: Asked["env"]): Check {
  const refused = approval().refusalNow(path, env);
  if (!refused) return { name: "trust", status: "ok", detail: "programs may be started for this bus" };
  return { name: "trust", status: "warn", detail: refused.message, fix: refused.said.hint };
}

const approval = () => require("./orch/approval.ts") as typeof import("./orch/approval.ts");

const usualHub = "http://127.0.0.1:3456";

interface Health {
  program?: string;
  db?: string;
  pid?: number;
}

const healthAt = (hub: string): Promise<Health | undefined> =>
  fetch(`${hub}/healthz`, { signal: AbortSignal.timeout(500) })
    .then((response) => response.json() as Promise<Health>)
    .catch(() => undefined);

/** Which hub serves this database: the one that noted itself there, or one where hubs usually are. None is nothing wrong. */
async function hubCheck(path: string): Promise<Check> {
  const db = shown(path);
  const noted = await notedHub(path);
  const others: string[] = [];
  for (const hub of new Set(noted === null ? [usualHub] : [noted, usualHub])) {
    const health = await healthAt(hub);
    if (health?.program !== "restante") continue;
    const which = `${hub} (process ${health.pid}) serves`;
    if (health.db === db) return { name: "hub", status: "ok", detail: `${which} this database` };
    others.push(`; ${which} another database, ${health.db}`);
  }
  return {
    name: "hub",
    status: "ok",
    detail: `none serves this database, and none is needed${others.join("")}`,
  };
}

const onlyFiles = (command: string, path: string, hint: string) =>
  new InboxError("invalid_input", `${command} works on a database, and ${path} is a hub`, { hint });

export async function runLocal<N extends LocalOperation>(
  name: N,
  asked: Asked,
  input: Record<string, unknown>,
): Promise<OutputOf<N>> {
  return handlers[name](asked, parseInput(operationNamed(name) as AnyOperation, input));
}
