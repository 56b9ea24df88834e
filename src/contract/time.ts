/** A point in time, as ISO 8601 has it. It is stored with milliseconds, in UTC. */
import * as v from "valibot";
import { described } from "./fields.ts";

const problem = "must be a time like 2026-05-18T08:00:00Z";

export const time = (help: string) =>
  described(
    v.pipe(
      v.string(problem),
      v.check((text) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)), problem),
      v.transform((text) => new Date(text).toISOString()),
    ),
    { type: "text", value: "TIME", example: "2026-05-18T08:00:00Z", help },
  );
