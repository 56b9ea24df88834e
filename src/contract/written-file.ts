/** [Y6] [Y7] What `backup` and `export` report about the file they have written. */
import * as v from "valibot";

export const writtenFile = () => ({
  file: v.string(),
  db: v.string(),
  busId: v.string(),
});

/** [Y7] The `format` in the first line of every export of a bus, of this or a later version. */
export const exportFormatName = "restante-export";
