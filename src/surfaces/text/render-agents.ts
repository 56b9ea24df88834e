/** Who has acted here. */
import { mailLimit } from "../../contract/mail.ts";
import type { NounRenders } from "./noun-renders.ts";
import { cut, safe } from "./safe.ts";
import { textTable } from "./text-table.ts";
import { relative } from "./time.ts";

const amount = (mail: number) => (mail >= mailLimit ? `${mailLimit} or more` : String(mail));

export const agentRenders: NounRenders<"agents"> = {
  "agents.list": ({ agents, unused = [] }, paint) => {
    const known = agents.map((agent) => [
      `${agent.live ? paint.green("●") : paint.dim("○")} ${cut(agent.name, 40)}`,
      agent.ended ? "finished" : relative(agent.lastSeenAt),
      String(agent.leases),
      String(agent.pending),
      amount(agent.mail),
      agent.pools.map(safe).join(", "),
    ]);
    const others = unused.map(({ name, mail }) => [cut(name, 40), amount(mail)]);
    const parts = [
      known.length
        ? textTable(["AGENT", "SEEN", "LEASES", "PENDING", "MAIL", "POOLS"], known, paint.dim)
        : "no agents yet",
      ...(others.length ? [textTable(["TOPIC OR UNUSED NAME", "MAIL"], others, paint.dim)] : []),
    ];
    return parts.join("\n\n");
  },
};
