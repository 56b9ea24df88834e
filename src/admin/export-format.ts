/** [Y7] The first and the last line of an export, and what stands in between. */
import * as v from "valibot";
import { exportFormatName } from "../contract/written-file.ts";

/** How its first line begins. */
export const exportFormat = { format: exportFormatName, version: 1 } as const;

/** The first bytes of every export, of this or a later version. */
const firstBytes = Buffer.from(`{"format":"${exportFormat.format}"`);
export const exportBegin = firstBytes.length;
export const beginsExport = (begin: Uint8Array): boolean => firstBytes.equals(begin.subarray(0, exportBegin));

const count = () => v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const name = () => v.pipe(v.string(), v.regex(/^[a-z_]{1,64}$/));

export const exportHead = () =>
  v.strictObject({
    format: v.literal(exportFormat.format),
    version: v.literal(exportFormat.version),
    program: v.string(),
    created_at: v.string(),
    bus_id: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)),
    schema_version: v.pipe(count(), v.minValue(1)),
    /** How many rows of each table follow. */
    tables: v.record(name(), count()),
    /** The last number that was given in each numbered table. */
    numbers: v.record(name(), count()),
  });

export type ExportHead = v.InferOutput<ReturnType<typeof exportHead>>;

export const exportRow = () =>
  v.strictObject({
    table: v.string(),
    row: v.record(v.string(), v.union([v.string(), v.number(), v.null()])),
  });

/** The checksum is that of every byte before this line. */
export const exportEnd = () => v.strictObject({ end: v.literal(true), rows: count(), sha256: v.string() });
