/** [O1] The last line of output of each running sub-agent, if its transcript is on this machine. */
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
