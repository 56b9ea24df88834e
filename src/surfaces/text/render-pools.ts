/** Pools and who is in them. */
import type { NounRenders } from "./noun-renders.ts";
import { safe } from "./safe.ts";

export const poolRenders: NounRenders<"pools"> = {
  "pools.join": ({ pool, members, changed }) =>
    `${changed ? "joined" : "already in"} ${safe(pool)}: ${members.map(safe).join(", ")}`,
  "pools.leave": ({ pool, members, changed }) =>
    `${changed ? "left" : "not in"} ${safe(pool)}${members.length ? `: ${members.map(safe).join(", ")}` : ""}`,
};
