/** Who has acted here. */
import { mailLimit } from "../../contract/mail.ts";
import type { NounRenders } from "./noun-renders.ts";
import { cut, safe } from "./safe.ts";
import { textTable } from "./text-table.ts";
import { relative } from "./time.ts";

export const agentRenders: NounRenders<"agents"> = {
  "agents.list": ({ agents }, paint) => {
    if (!agents.length) return "no agents yet";
    const rows = agents.map((agent) => [
      `${agent.live ? paint.green("●") : paint.dim("○")} ${cut(agent.name, 40)}`,
      agent.ended ? "finished" : relative(agent.lastSeenAt),
      String(agent.leases),
      String(agent.pending),
      agent.mail >= mailLimit ? `${mailLimit} or more` : String(agent.mail),
      agent.pools.map(safe).join(", "),
    ]);
    return textTable(["AGENT", "SEEN", "LEASES", "PENDING", "MAIL", "POOLS"], rows, paint.dim);
  },
};
