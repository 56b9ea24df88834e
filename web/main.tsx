/** The page begins: theme and keys, then what is followed on every tab, then the line to the hub. */
import { render } from "preact";
import { App } from "./app.tsx";
import { followAttention } from "./attention.ts";
import { counts, followWakes } from "./data/counts.ts";
import { followEntries } from "./data/entries.ts";
import { begin } from "./data/live.ts";
import { followStuck } from "./data/stuck.ts";
import { queue } from "./data/tasks.ts";
import { workspaces } from "./data/workspaces.ts";
import { listenToKeys } from "./keys.ts";
import { followNews } from "./notify.ts";
import { followTheme } from "./theme.ts";

followTheme();
listenToKeys();
followEntries();
for (const store of [counts, workspaces, queue]) store.follow();
followWakes();
followStuck();
followAttention();
followNews();
render(<App />, document.getElementById("app")!);
void begin();
// [U13] Opens without the hub, and can be installed. Only where the address is secure.
if ("serviceWorker" in navigator) void navigator.serviceWorker.register("/worker.js").catch(() => {});
