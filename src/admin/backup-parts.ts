/** [Y6] What is in a backup, and under which names: docs/backup.md describes the format. */
import * as v from "valibot";

export const formatName = "restante-backup";
export const formatVersion = 1;

/** The first part tells a backup from any other tar file. */
export const formatPart = "restante-backup.json";
export const databasePart = "bus.db";
export const profilesPart = "agents.toml";
export const manifestPart = "manifest.json";
export const markPart = "mark";
export const journalParts = ["entries.jsonl", "entries.mark"] as const;
export const taskParts = ["transcript.jsonl", "ending.json"] as const;

export const journalPart = (name: string) => `journal/${name}`;
export const taskPart = (number: string, name: string) => `tasks/${number}/${name}`;

/** The number of the task that a part belongs to. */
export const taskOf = (name: string): string | undefined =>
  /^tasks\/([1-9]\d{0,14})\/(?:transcript\.jsonl|ending\.json)$/.exec(name)?.[1];

/** Whether a name is one of these, and so can be no path out of the folder it is extracted to. */
export const isPart = (name: string): boolean =>
  [formatPart, databasePart, profilesPart, manifestPart, markPart].includes(name) ||
  journalParts.some((part) => name === journalPart(part)) ||
  taskOf(name) !== undefined;

/** Whether a file that begins with these bytes is a backup: its first part has this name. */
export const beginsBackup = (begin: Uint8Array): boolean =>
  new TextDecoder("latin1").decode(begin.subarray(0, formatPart.length + 1)) === `${formatPart}\0`;

/** These are read, and never written anywhere. */
export const isKeptInMemory = (name: string) => [formatPart, manifestPart, markPart].includes(name);

const part = () => v.strictObject({ name: v.string(), bytes: v.number(), sha256: v.string() });

export const manifestSchema = () =>
  v.strictObject({
    format: v.literal(formatName),
    version: v.literal(formatVersion),
    program: v.string(),
    createdAt: v.pipe(v.string(), v.isoTimestamp()),
    /** Where it was, for people. */
    db: v.string(),
    busId: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)),
    schemaVersion: v.pipe(v.number(), v.integer(), v.minValue(1)),
    rows: v.pipe(v.number(), v.integer(), v.minValue(0)),
    parts: v.array(part()),
  });

export type Manifest = v.InferOutput<ReturnType<typeof manifestSchema>>;
