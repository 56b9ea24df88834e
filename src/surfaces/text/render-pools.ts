/** Pools and who is in them. */
import { plural } from "../../contract/plural.ts";
import type { NounRenders } from "./noun-renders.ts";
import { cut, safe } from "./safe.ts";
import { textTable } from "./text-table.ts";

export const poolRenders: NounRenders<"pools"> = {
  "pools.join": ({ pool, members, changed }) =>
    `${changed ? "joined" : "already a member of"} ${safe(pool)}; members: ${members.map(safe).join(", ")}`,
  "pools.leave": ({ pool, members, changed }) =>
    `${changed ? "left" : "not a member of"} ${safe(pool)}; ${members.length ? `members: ${members.map(safe).join(", ")}` : "the pool has no members"}`,
  "pools.list": ({ pools }, paint) => {
    if (!pools.length) return "no pools yet";
    const rows = pools.map(({ pool, members, pending }) => [
      cut(pool, 40),
      String(pending),
      members.map(safe).join(", ") || paint.yellow("nobody"),
    ]);
    return textTable(["POOL", "PENDING", "MEMBERS"], rows, paint.dim);
  },
  "pools.remove": ({ pool, members, pending }) =>
    `removed ${safe(pool)}${members.length ? `, with ${members.map(safe).join(", ")}` : ""}` +
    (pending
      ? `; ${plural(pending, "thread")} still assigned to it: reassign ${pending === 1 ? "it" : "them"}`
      : ""),
};
