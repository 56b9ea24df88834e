/** Quotas, and whose they are. */
import type { Quota } from "../../contract/quota.ts";
import type { NounRenders } from "./noun-renders.ts";
import type { Paint } from "./paint.ts";
import { cut } from "./safe.ts";
import { textTable } from "./text-table.ts";

const limit = (value: number | null) => (value === null ? "–" : String(value));

const quotasText = (quotas: readonly Quota[], paint: Paint) =>
  quotas.length
    ? textTable(
        ["AGENT", "MESSAGES/MINUTE", "BYTES/DAY (UTC)", "OPEN THREADS", "SUB-AGENTS"],
        quotas.map((quota) => [
          quota.name === null ? "(everybody)" : cut(quota.name, 30),
          limit(quota.messagesPerMinute),
          limit(quota.bytesPerDay),
          limit(quota.openThreads),
          limit(quota.subAgents),
        ]),
        paint.dim,
      )
    : "no quotas";

export const quotaRenders: NounRenders<"quotas"> = {
  "quotas.list": ({ quotas }, paint) => quotasText(quotas, paint),
  "quotas.set": ({ quotas }, paint) => quotasText(quotas, paint),
};
