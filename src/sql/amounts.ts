/** The columns of what programs report ([A11]): the same in each table that adds them up. */
import { integer } from "./table.ts";

/** Money in millionths of a dollar, null where none was reported. */
export const amounts = () => ({
  input_tokens: integer(),
  cached_tokens: integer(),
  output_tokens: integer(),
  micro_usd: integer().orNull(),
  turns: integer(),
});
