/** Tests that look at the page: a hub and a folder for all of them, and one browser for all of a file, ended after the last. */
import { afterAll, beforeAll, describe } from "bun:test";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { HubOptions } from "../../src/hub.ts";
import { chromiumPath } from "./browser.ts";
import { temporaryFolder } from "./folder.ts";
import { type Ask, hubHere, type TestHub } from "./hub.ts";
import { closeBrowser, openWindow, type Window, type WindowOptions } from "./page.ts";
import { type Workspace, workspace } from "./scene.ts";

type Hub = Pick<TestHub, "url" | "db" | "ask"> & AsyncDisposable;

interface Prepared extends Partial<HubOptions> {
  /** What stands in agents.toml. */
  agents?: string;
  /** Another hub than one in this process. */
  start?(): Promise<Hub>;
}

export interface Here {
  /** The hub of these tests; it runs from their first hook on. */
  readonly hub: Hub;
  readonly ask: Ask;
  /** A folder for what the tests write. */
  readonly folder: string;
  /** A window on the hub in which nobody has been. */
  open(path?: string, options?: WindowOptions): Promise<Window>;
  /** A workspace in a folder of its own. */
  workspace(label?: string, agent?: string): Promise<Workspace>;
  /** Deletes what earlier tests have left in the inbox. */
  emptyInbox(): Promise<void>;
}

/** Of this file, those that have not ended: they share a browser. */
let left = 0;

export function inBrowser({ agents, start, ...options }: Prepared, tests: (here: Here) => void): void {
  left++;
  describe.skipIf(!chromiumPath())("in a browser", () => {
    const folder = temporaryFolder();
    const spaces: AsyncDisposable[] = [];
    let hub: Hub;
    beforeAll(async () => {
      hub = await (start ? start() : hubHere(options));
      if (agents !== undefined) writeFileSync(join(dirname(hub.db), "agents.toml"), agents);
    });
    afterAll(async () => {
      if (--left === 0) await closeBrowser();
      for (const space of spaces) await space[Symbol.asyncDispose]();
      await hub[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    });
    tests({
      get hub() {
        return hub;
      },
      ask: (...request) => hub.ask(...request),
      folder: folder.path,
      open: (path, options) => openWindow(hub.url, path, options),
      async workspace(label = "Work", agent = "ada") {
        const space = await workspace(hub, join(folder.path, `w${spaces.length}`), label, agent);
        spaces.push(space);
        return space;
      },
      async emptyInbox() {
        for (const { id } of (await hub.ask("GET /api/inbox/history?limit=200")).json.entries)
          await hub.ask(`DELETE /api/inbox/${id}`);
      },
    });
  });
}
