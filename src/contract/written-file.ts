/** [Y6] [Y7] What `backup` and `export` report about the file they have written. */
import * as v from "valibot";

export const writtenFile = () => ({
  file: v.string(),
  db: v.string(),
  busId: v.string(),
});
