/** The engines the contract suite runs on: a new one is a new entry here. */
import { join } from "node:path";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { type Inbox, openInbox } from "../../src/inbox.ts";
import { temporaryFolder } from "./folder.ts";

export interface Bench {
  inbox: Inbox;
  /** Another connection to the same bus, as another process would have. */
  another(): Inbox;
  /** Moves the engine's clock. */
  pass(seconds: number): void;
  /** Stops the engine's clock: from here on only `pass` moves it. */
  freeze(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TestedEngine {
  name: string;
  start(): Promise<Bench>;
}

async function startSqlite(): Promise<Bench> {
  const folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path);
  let offset = 0;
  let frozen: number | undefined;
  const opened: Inbox[] = [];
  const another = () => {
    const inbox = openInbox(path, { now: () => (frozen ?? Date.now()) + offset });
    opened.push(inbox);
    return inbox;
  };
  return {
    inbox: another(),
    another,
    pass: (seconds) => {
      offset += seconds * 1000;
    },
    freeze: () => {
      frozen = Date.now();
    },
    [Symbol.asyncDispose]: async () => {
      for (const inbox of opened) await inbox.close();
      folder[Symbol.dispose]();
    },
  };
}

export const engines: TestedEngine[] = [{ name: "sqlite", start: startSqlite }];
