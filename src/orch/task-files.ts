/** [Y1] Deleting the folder of a task, on the host that has it. */
import { isOwnFolder } from "../platform/own-files.ts";
import { removeTree } from "../platform/remove-tree.ts";
import { fs } from "../platform/system.ts";
import type { Environment } from "../platform/user-folders.ts";
import { taskFolder, tasksFolder, thisHost } from "./paths.ts";

export function taskFiles(location: string, env: Environment) {
  const tasks = tasksFolder(location, env);
  return {
    host: thisHost(),
    /** Only inside the folder that this program uses: a path in the database may come from anybody. */
    remove(task: number, folder: string): boolean {
      if (folder !== taskFolder(tasks, task)) return false;
      if (!fs().existsSync(folder)) return true;
      if (!isOwnFolder(tasks) || !isOwnFolder(folder)) return false;
      try {
        removeTree(folder);
        return true;
      } catch {
        return false;
      }
    },
  };
}
