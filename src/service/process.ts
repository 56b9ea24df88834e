/** A hub without a service manager: a detached process, if the system has none for this user. */
import { openOwnToAppend } from "../platform/own-files.ts";
import { fs } from "../platform/system.ts";
import type { Keeper } from "./unit.ts";

export const detached: Keeper = {
  manager: "process",
  comesBack: "not",
  isThere: () => true,
  start({ words, variables, env, folder }) {
    const said = openOwnToAppend(folder.start);
    const child = Bun.spawn([...words], {
      argv0: "inbox",
      cwd: "/",
      env: { ...(env as Record<string, string>), ...variables },
      stdin: "ignore",
      stdout: said,
      stderr: said,
      detached: true,
    });
    fs().closeSync(said);
    child.unref();
  },
  // Whoever stops a hub ends its process.
  stop() {},
};
