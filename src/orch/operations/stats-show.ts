/** [O1] What each running sub-agent said last, where its transcript is on this machine. */
import type { StatsRead } from "../../bus/procedures/stats-show.ts";
import type { Stats } from "../../contract/stats.ts";
import { thisHost, transcriptFile } from "../paths.ts";
import { lastLineOf } from "../transcript.ts";

export function withLastLines({ subAgents, ...stats }: StatsRead): Stats {
  return {
    ...stats,
    subAgents: subAgents.map(({ host, folder, ...each }) => ({
      ...each,
      lastLine: folder !== null && host === thisHost() ? lastLineOf(transcriptFile(folder)) : null,
    })),
  };
}
