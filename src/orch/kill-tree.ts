/** [Q6] Ends whatever a task has started: find-tree.ts says what that is. */
import { ownWatch } from "../platform/own-watch.ts";
import { brandSelf, isAdopting, reap } from "../platform/processes/brand.ts";
import { isDead, lookAround } from "../platform/processes/processes.ts";
import { sleep } from "../platform/runtime.ts";
import { below, brandOf, Looks, left, type Tree } from "./find-tree.ts";

/** From now on whatever this process starts bears the mark, in a way that cannot be taken off by accident. */
export const brandFor = (mark: string) => brandSelf(brandOf(mark));

/** A process that was killed is gone within this; one that is not waits for a disk, and nobody can do more. */
const killWaitMs = 3000;
/** As long as there are new ones it goes on, up to this: one that keeps starting its successor is caught sooner or later. */
const chaseMs = 20_000;
/** Of the time between two looks at most this counts: in the rest of a longer gap this process stood still and did not look. */
const stillMs = 250;
/** It holds up the process it runs in for no longer than this. */
const turnMs = 50;
/** On a machine where processes come and go all the time no look is sure; after this one that found nothing will do. */
const unsureMs = 1000;

/** All that runs below this process, and again what that has started meanwhile, until nothing is left. */
export const killBelow = (tree: Tree) => killAll((looks) => below(tree, looks));

/** What a keeper that has died left behind. */
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
    // Whoever else works in this process has its turn: the chase may be long.
    if (now - rested > turnMs) {
      await sleep(0);
      rested = watch();
    }
    looks.begin();
    const left = find(looks);
    if (!left.length) {
      // After a kill it has to be empty twice.
      if ((looks.sure || now - newest > unsureMs) && ++empty >= (struck.size ? 2 : 1)) return;
      continue;
    }
    empty = 0;
    const fresh = left.some((pid) => !struck.has(pid));
    for (const pid of left) {
      strike(pid);
      struck.add(pid);
    }
    // Those just found may have started others: there is no time to lose.
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
    // It was faster.
  }
}

/** [Q17] Whether nothing is below this process, not even what is no task's: it may keep another. */
export function isAlone(own: ReadonlySet<number>): boolean {
  if (!isAdopting()) return true;
  if (!lookAround().children(process.pid)?.length) return true;
  reapAdopted(own);
  return !lookAround().children(process.pid)?.length;
}

/** Adopted children that have ended would stay as zombies for as long as we live. */
export function reapAdopted(own: ReadonlySet<number>): void {
  if (!isAdopting()) return;
  const look = lookAround();
  for (const pid of look.children(process.pid) ?? []) {
    if (own.has(pid)) continue;
    const stat = look.stat(pid);
    if (stat && isDead(stat)) reap(pid);
  }
}
