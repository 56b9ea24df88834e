/** [Q6] Kills everything that a task has started: find-tree.ts finds it. */
import { ownWatch } from "../platform/own-watch.ts";
import { brandSelf, isAdopting, reap } from "../platform/processes/brand.ts";
import { isDead, lookAround } from "../platform/processes/processes.ts";
import { sleep } from "../platform/runtime.ts";
import { below, brandOf, Looks, left, type Tree } from "./find-tree.ts";

/** From now on everything this process starts has the mark, in a way that cannot be removed by accident. */
export const brandFor = (mark: string) => brandSelf(brandOf(mark));

/** A process that was killed disappears within this time; if it does not, it waits for a disk, and nothing more can be done. */
const killWaitMs = 3000;
/**
 * It continues as long as new processes appear, up to this time: a process that keeps starting its successor is
 * caught eventually.
 */
const chaseMs = 20_000;
/** The maximum time between two looks that counts: in the rest of a longer gap this process was suspended and did not look. */
const stillMs = 250;
/** It blocks the process it runs in for at most this long. */
const turnMs = 50;
/** On a machine where processes come and go all the time no look is certain; after this time one that found nothing is enough. */
const unsureMs = 1000;

/** Kills everything below this process, and what that has started meanwhile, until nothing is left. */
export const killBelow = (tree: Tree) => killAll((looks) => below(tree, looks));

/** Kills what a keeper that has died left behind. */
export const killLeft = (tree: Tree) => killAll((looks) => left(tree, looks));

async function killAll(find: (looks: Looks) => number[]): Promise<void> {
  const struck = new Set<number>();
  const looks = new Looks();
  const watch = ownWatch(stillMs);
  let newest = 0;
  let rested = 0;
  for (let pause = 1, empty = 0; ; ) {
    const now = watch();
    if (now - newest > killWaitMs || now > chaseMs) return;
    // Yields to other work in this process: this may take long.
    if (now - rested > turnMs) {
      await sleep(0);
      rested = watch();
    }
    looks.begin();
    const left = find(looks);
    if (!left.length) {
      // After a kill, two looks in a row must find nothing.
      if ((looks.sure || now - newest > unsureMs) && ++empty >= (struck.size ? 2 : 1)) return;
      continue;
    }
    empty = 0;
    const fresh = left.some((pid) => !struck.has(pid));
    for (const pid of left) {
      strike(pid);
      struck.add(pid);
    }
    // Processes that were just found may have started others: look again at once.
    if (fresh) {
      newest = now;
      continue;
    }
    await sleep(pause);
    pause = Math.min(16, pause * 2);
  }
}

function strike(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already exited.
  }
}

/** [Q17] Whether there is no process at all below this one: then it may keep another task. */
export function isAlone(own: ReadonlySet<number>): boolean {
  if (!isAdopting()) return true;
  if (!lookAround().children(process.pid)?.length) return true;
  reapAdopted(own);
  return !lookAround().children(process.pid)?.length;
}

/** Adopted children that have exited would stay as zombies for as long as this process lives. */
export function reapAdopted(own: ReadonlySet<number>): void {
  if (!isAdopting()) return;
  const look = lookAround();
  for (const pid of look.children(process.pid) ?? []) {
    if (own.has(pid)) continue;
    const stat = look.stat(pid);
    if (stat && isDead(stat)) reap(pid);
  }
}
