import type { EngineRecord } from "../record.ts";

/** Loaded only when a server is opened: loading the driver slows down the start of a command. */
const engine = () => require("./index.ts") as typeof import("./index.ts");

export const postgres: EngineRecord = {
  name: "Postgres",
  looksLike: "postgres://…",
  isAddress: (location) => /^postgres(ql)?:\/\//i.test(location),

  file: () => undefined,
  sideFiles: () => [],
  pathName(location) {
    // Of several hosts the first stands for all.
    const { host, pathname, searchParams } = new URL(location.replace(/,.*?(?=[/?]|$)/, ""));
    const parts = [host, pathname.slice(1), searchParams.get("schema") ?? ""].filter(Boolean);
    return parts.join("_").replace(/[^\w.-]/g, "_");
  },
  mayExist: () => true,
  connectionPerWaiter: true,
  closedByCommands: true,

  open: (location, options) => engine().openPostgres(location, options),
  create: (location) => engine().createPostgres(location),
  schemaVersion: () => engine().migrations.length,
  diagnose: (location) => engine().diagnosePostgres(location),
  notedHub: (location) => engine().notedHub(location),
  copying: () => engine().copying,
};
