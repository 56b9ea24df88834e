/**
 * [B8] Which agents have an open wait, in any process of this machine: one file per agent and process, beside the
 * wake files. A file whose process is gone is ignored, and deleted by the next process that looks.
 */
import { isAlive } from "../../platform/alive.ts";
import { isOwnFolder, openOwnNew } from "../../platform/own-files.ts";
import { after } from "../../platform/quiet.ts";
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

/** Whoever waits again at once, as for each message, keeps its file: to make and to remove it took seven system calls each time. */
const lingerMs = 10;

/** `brief`: the process may end at any time, and leaves no file behind. */
export function openPresence(folder: string, brief: boolean) {
  const counts = new Map<string, number>();
  /** Agents without a wait whose files are still there. */
  const left = new Set<string>();
  let cancelLinger: (() => void) | undefined;
  const fileOf = (agent: string) => `${folder}/here.${encodeURIComponent(agent)}.${process.pid}`;
  const quietly = (work: () => unknown) => {
    try {
      work();
    } catch {
      // Presence is optional: a wait does not fail because of it.
    }
  };

  function removeLeft(): void {
    cancelLinger?.();
    cancelLinger = undefined;
    for (const agent of left) quietly(() => fs().unlinkSync(fileOf(agent)));
    left.clear();
  }

  function leave(agent: string): void {
    const others = counts.get(agent)! - 1;
    if (others > 0) return void counts.set(agent, others);
    counts.delete(agent);
    left.add(agent);
    if (brief) removeLeft();
    else cancelLinger ??= after(lingerMs, removeLeft);
  }

  return {
    /** From now until the returned function is called, the agent counts as live. */
    attend(agent: string): () => void {
      const count = counts.get(agent) ?? 0;
      counts.set(agent, count + 1);
      if (count === 0 && !left.delete(agent))
        // The folder exists, because a waiting process has its wake file in it; it is not created here.
        quietly(() => isOwnFolder(folder) && fs().closeSync(openOwnNew(fileOf(agent))));
      return () => leave(agent);
    },

    async attending(): Promise<Set<string>> {
      const here = new Set<string>();
      quietly(() => {
        if (isOwnFolder(folder))
          for (const name of fs().readdirSync(folder)) {
            const [, encoded, pid] = mark.exec(name) ?? [];
            if (encoded === undefined) continue;
            if (!isAlive(Number(pid))) {
              quietly(() => fs().unlinkSync(`${folder}/${name}`));
              continue;
            }
            const agent = decodeURIComponent(encoded);
            if (Number(pid) !== process.pid || !left.has(agent)) here.add(agent);
          }
      });
      return here;
    },

    close: removeLeft,
  };
}
