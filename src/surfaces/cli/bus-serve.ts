/** `inbox serve`: the hub in the foreground, until it is stopped. */
import { InboxError } from "../../contract/errors.ts";
import { managers, serviceVariable } from "../../contract/hub-state.ts";
import { parseInput } from "../../contract/operation.ts";
import { busServe } from "../../contract/operations/bus-serve.ts";
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Text } from "../../contract/phrase.ts";
import { type Asked, isHub, locateOrNew, unmasked } from "../../location/locate.ts";
import { version } from "../../version.ts";
import { safe } from "../text/safe.ts";
import type { CommandInput } from "./input.ts";
import { complain, warn } from "./output.ts";

/** A sub-agent's command may have started it in the background: it does not belong to that task. */
function brandAnew(): void {
  const { brandSelf } =
    require("../../platform/processes/brand.ts") as typeof import("../../platform/processes/brand.ts");
  brandSelf();
}

/** Starts, prints the address, and returns once it has stopped. */
export async function runHub(
  asked: Asked,
  delivery: string | undefined,
  { input }: CommandInput,
  respond: (output: OutputOf<"bus.serve">) => Promise<unknown>,
): Promise<void> {
  const {
    port,
    host,
    allowHost,
    auth,
    dataDir,
    notify,
    dev,
    log: format,
    logFile,
  } = parseInput(busServe, input);
  const db = locateOrNew(unmasked(asked));
  if (isHub(db))
    throw new InboxError("invalid_input", `a hub serves a database, but ${db} is itself a hub`, {
      hint: "leave out --db, or name a file or a postgres:// address",
    });
  // No other command needs servers, pages and documents: loading them takes 2 ms.
  const { openLog } = await import("../../service/hub-log.ts");
  const { noteHub } = await import("../../service/hub-folder.ts");
  const { otherBusAt } = await import("../../service/hub-ports.ts");
  const { whenOwnerEnds } = await import("../../service/bound-hub.ts");
  const { startHub } = require("../../hub.ts") as typeof import("../../hub.ts");
  const log = format || logFile ? openLog({ format: format ?? "text", file: logFile }) : undefined;
  const warned = (message: Text) => {
    warn(message);
    log?.write("warn", "warning", { message: String(message) });
  };
  const hub = await startHub({
    db,
    port,
    host,
    allowHosts: allowHost ?? [],
    auth,
    delivery,
    dataDir,
    ...(notify !== undefined && { notify: { contact: notify } }),
    dev,
    log: log?.write,
    complain: warned,
  });
  const { [serviceVariable]: kept } = asked.env;
  const manager = managers.find((each) => each === kept) ?? "foreground";
  if (manager !== "foreground") brandAnew();
  const startedAt = new Date().toISOString();
  const about = { url: hub.url, pid: process.pid, auth: hub.auth, version, schema: hub.schema };
  const leave = noteHub(db, asked.env, { ...about, manager, startedAt, log: logFile ?? null });
  log?.write("info", "started", { ...about, db: hub.db });
  const stopping = Promise.withResolvers<void>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.resolve());
  const watching = whenOwnerEnds(asked.env, stopping.resolve);
  const created = hub.created && { created: true };
  await respond({ url: hub.url, db: hub.db, ...created, pid: process.pid, auth: hub.auth });
  const other =
    manager === "foreground" ? otherBusAt(Number(new URL(hub.url).port), db, asked.env) : undefined;
  if (other !== undefined)
    warn(
      `this port belongs to the hub of ${other}, which is not running: clients that have its address talk to this bus now; --port chooses another`,
    );
  if (hub.away) {
    warn(`${hub.away.message}. The hub keeps trying, and refuses calls with "storage" until then`);
    void hub.met.then(() => complain(`${safe(hub.db)} is reachable\n`)).catch(() => {});
  }
  // The database is there now, but cannot be served: this ends the hub as it would have at the start.
  const refused = new Promise<never>((_, reject) => hub.met.catch(reject));
  await Promise.race([stopping.promise, refused]).finally(async () => {
    clearInterval(watching);
    await hub.stop();
    leave();
    log?.write("info", "stopped");
    log?.close();
  });
}
