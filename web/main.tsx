/** The page begins: theme and keys, then where the events stand, then what is shown. */
import { render } from "preact";
import { App } from "./app.tsx";
import { followAttention } from "./attention.ts";
import { locked } from "./data/api.ts";
import { followCounts, recount } from "./data/counts.ts";
import { followEntries, load } from "./data/entries.ts";
import { begin } from "./data/live.ts";
import { followTasks, loadQueue } from "./data/tasks.ts";
import { followWorkspaces, loadWorkspaces } from "./data/workspaces.ts";
import { listenToKeys } from "./keys.ts";
import { followNews } from "./notify.ts";
import { followTheme } from "./theme.ts";

followTheme();
listenToKeys();
render(<App />, document.getElementById("app")!);

for (const follow of [
  followEntries,
  followCounts,
  followWorkspaces,
  followTasks,
  followAttention,
  followNews,
])
  follow();

async function start(): Promise<void> {
  await begin();
  await Promise.allSettled([load(), loadWorkspaces().then(recount), loadQueue()]);
}

async function startUntilDone(): Promise<void> {
  while (locked.value === undefined) {
    try {
      return await start();
    } catch {
      await load(); // says what is wrong
      await new Promise((done) => setTimeout(done, 2000));
    }
  }
}
void startUntilDone();
