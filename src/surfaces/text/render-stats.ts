/** The state of the whole bus. */
import type { NounRenders } from "./noun-renders.ts";
import { statsText } from "./stats.ts";

export const statsRenders: NounRenders<"stats"> = {
  "stats.show": (stats, paint) => statsText(stats, paint),
};
