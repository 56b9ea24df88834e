/** A hub that serves a bus on this machine, as `status` and its relatives show it. */
import * as v from "valibot";

/** Who keeps a background hub running: the system's own service manager, or nobody. */
export const managers = ["systemd", "launchd", "process"] as const;
export type Manager = (typeof managers)[number];

/** By this variable a hub in the background knows that it is one, and who keeps it. */
export const serviceVariable = "INBOX_SERVICE";

export const hubState = () =>
  v.strictObject({
    url: v.string(),
    pid: v.number(),
    /** `foreground`: somebody runs it in a terminal, or a service of their own does. */
    manager: v.picklist([...managers, "foreground"]),
    startedAt: v.string(),
    /** Whether every request needs a token. */
    auth: v.boolean(),
    version: v.string(),
    /** Whether its database answers now. */
    ready: v.boolean(),
    /** The file it logs to; null where it does not. */
    log: v.nullable(v.string()),
  });
export type HubState = v.InferOutput<ReturnType<typeof hubState>>;

export const logLevels = ["info", "warn", "error"] as const;

/** A line of a hub's log. What else it has depends on the event. */
export const logLine = () =>
  v.looseObject({ time: v.nullable(v.string()), level: v.picklist(logLevels), event: v.string() });
export type LogLine = v.InferOutput<ReturnType<typeof logLine>>;
