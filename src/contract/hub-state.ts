/** A hub that serves a bus on this machine, as `status` and similar commands show it. */
import * as v from "valibot";

/** What keeps a background hub running: the system's service manager, or nothing. */
export const managers = ["systemd", "launchd", "process"] as const;
export type Manager = (typeof managers)[number];

/** This variable tells a hub that it runs in the background, and under which manager. */
export const serviceVariable = "INBOX_SERVICE";

/** This variable names a process (as `thisProcess` writes it): a hub in the background ends when that one has. */
export const untilVariable = "INBOX_UNTIL";

export const hubState = () =>
  v.strictObject({
    url: v.string(),
    pid: v.number(),
    /** `foreground`: it runs in a terminal, or under a service of the user's own. */
    manager: v.picklist([...managers, "foreground"]),
    startedAt: v.string(),
    /** Whether every request needs a token. */
    auth: v.boolean(),
    version: v.string(),
    /** Whether its database answers now. */
    ready: v.boolean(),
    /** The file it logs to; null where it does not. */
    log: v.nullable(v.string()),
    /** The version of the schema that its program knows. A hub of an earlier version does not record it. */
    schema: v.optional(v.number()),
    /** [S3.4] Its program is older than the one that was asked, which has migrated the database. */
    outdated: v.optional(v.literal(true)),
    /** Its database file was deleted or replaced: it serves nothing any more. */
    lost: v.optional(v.literal(true)),
  });
export type HubState = v.InferOutput<ReturnType<typeof hubState>>;

/** A hub that was recorded on another host that shares the folder of the bus. */
export const hubElsewhere = () =>
  v.strictObject({
    host: v.string(),
    /** As it is called on that host. */
    url: v.string(),
    pid: v.number(),
    /** The record. If the hub was killed, it stays until a process of that host, or a person, removes it. */
    file: v.string(),
  });
export type HubElsewhere = v.InferOutput<ReturnType<typeof hubElsewhere>>;

export const logLevels = ["info", "warn", "error"] as const;

/** A line of a hub's log. Its other fields depend on the event. */
export const logLine = () =>
  v.looseObject({ time: v.nullable(v.string()), level: v.picklist(logLevels), event: v.string() });
export type LogLine = v.InferOutput<ReturnType<typeof logLine>>;
