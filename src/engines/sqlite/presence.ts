/**
 * [B8] Which agents have an open wait, in any process of this machine: one file per agent and process, beside the
 * wake files. A file whose process is gone is ignored, and deleted by the next process that looks.
 */
import { isAlive } from "../../platform/alive.ts";
import { isOwnFolder, openOwnNew } from "../../platform/own-files.ts";
import { fs } from "../../platform/system.ts";

const mark = /^here\.(.*)\.(\d+)$/;

/** The files of processes that are gone. */
export function staleMarks(folder: string): string[] {
  if (!isOwnFolder(folder)) return [];
  return fs()
    .readdirSync(folder)
    .filter((name) => {
      const pid = mark.exec(name)?.[2];
      return pid !== undefined && !isAlive(Number(pid));
    })
    .sort()
    .map((name) => `${folder}/${name}`);
}

export function openPresence(folder: string) {
  const counts = new Map<string, number>();
  const fileOf = (agent: string) => `${folder}/here.${encodeURIComponent(agent)}.${process.pid}`;
  const quietly = (work: () => unknown) => {
    try {
      work();
    } catch {
      // Presence is optional: a wait does not fail because of it.
    }
  };

  return {
    /** From now until the returned function is called, the agent counts as live. */
    attend(agent: string): () => void {
      const count = counts.get(agent) ?? 0;
      counts.set(agent, count + 1);
      if (count === 0)
        // The folder exists, because a waiting process has its wake file in it; it is not created here.
        quietly(() => isOwnFolder(folder) && fs().closeSync(openOwnNew(fileOf(agent))));
      return () => {
        const left = counts.get(agent)! - 1;
        if (left > 0) return void counts.set(agent, left);
        counts.delete(agent);
        quietly(() => fs().unlinkSync(fileOf(agent)));
      };
    },

    async attending(): Promise<Set<string>> {
      const here = new Set<string>();
      quietly(() => {
        if (isOwnFolder(folder))
          for (const name of fs().readdirSync(folder)) {
            const [, agent, pid] = mark.exec(name) ?? [];
            if (agent === undefined) continue;
            if (isAlive(Number(pid))) here.add(decodeURIComponent(agent));
            else quietly(() => fs().unlinkSync(`${folder}/${name}`));
          }
      });
      return here;
    },
  };
}
