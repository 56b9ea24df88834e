/** A table of processes for hubs and what they start, which can be full: a group of the kernel's own (cgroup, pids). */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface ProcessTable {
  /** This process belongs to it, and whatever it starts from here on. */
  enter(pid: number): void;
  /** From here on no process and no thread can be started. */
  fill(): void;
  free(): void;
  [Symbol.dispose](): void;
}

/** Version 1 has a tree for each resource; version 2 has one, in which the root has to hand the resource on. */
const trees = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"];
let tables = 0;

export function processTable(): ProcessTable | undefined {
  for (const tree of trees) {
    const folder = join(tree, `restante-prove-${process.pid}-${++tables}`);
    const file = (name: string) => join(folder, name);
    try {
      mkdirSync(folder);
    } catch {
      continue; // not root, or no such tree
    }
    if (!existsSync(file("pids.max"))) {
      rmdirSync(folder);
      continue;
    }
    const limit = (most: string) => writeFileSync(file("pids.max"), most);
    return {
      enter: (pid) => writeFileSync(file("cgroup.procs"), String(pid)),
      fill: () => limit(readFileSync(file("pids.current"), "utf8").trim()),
      free: () => limit("max"),
      [Symbol.dispose]() {
        try {
          rmdirSync(folder);
        } catch {
          // A process that ends just now is still in it.
        }
      },
    };
  }
  return undefined;
}

/** Whether this machine can have one. */
export function hasProcessTables(): boolean {
  using table = processTable();
  return table !== undefined;
}
