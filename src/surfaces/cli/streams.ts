/** Operations that print or read line by line: streams, and files of any length. */
import type { Inbox } from "../../inbox/inbox.ts";
import { snakeCase } from "../text/recase.ts";
import { safeJson } from "../text/safe.ts";
import { exportEntries, importEntries } from "./entry-files.ts";
import { exitBrokenPipe, print } from "./output.ts";
import { followLog } from "./tasks-log.ts";

type Stream = (inbox: Inbox, input: Record<string, unknown>, how: { json: boolean }) => Promise<number>;

/** The table says which operations have one (`cli.stream`). */
export const stream = (name: string): Stream => streams[name]!;

/** By operation; each returns the exit code. */
const streams: Readonly<Record<string, Stream>> = {
  "events.watch": async (inbox, input) => {
    for await (const record of inbox.follow(input))
      if (!(await print(`${safeJson(snakeCase(record))}\n`))) return exitBrokenPipe;
    return 0;
  },
  "tasks.log": (inbox, input, { json }) => followLog(inbox, input, json),
  "entries.export": async (inbox, input) => ((await exportEntries(inbox, input)) ? 0 : exitBrokenPipe),
};

type LineReader = (inbox: Inbox, path: string, warnings: string[]) => Promise<object>;

/** The fields say which operations have one (type `lines`). */
export const lineReader = (name: string): LineReader => lineReaders[name]!;

/** By operation; each reads a file and answers for the whole of it. */
const lineReaders: Readonly<Record<string, LineReader>> = { "entries.import": importEntries };
