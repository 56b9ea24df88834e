/** Operations that print or read line by line: streams, and files of any length. */
import type { Inbox } from "../../inbox/inbox.ts";
import { snakeCase } from "../text/recase.ts";
import { safeJson } from "../text/safe.ts";
import { exportEntries, importEntries } from "./entry-files.ts";
import { exitBrokenPipe, print } from "./output.ts";
import { followLog } from "./tasks-log.ts";

type Stream = (inbox: Inbox, input: Record<string, unknown>, how: { json: boolean }) => Promise<number>;

/** By operation; each returns the exit code. The table says which operations these are (`cli.stream`). */
export const streams: Readonly<Record<string, Stream>> = {
  "events.watch": async (inbox, input) => {
    for await (const record of inbox.follow(input))
      if (!(await print(`${safeJson(snakeCase(record))}\n`))) return exitBrokenPipe;
    return 0;
  },
  "tasks.log": (inbox, input, { json }) => followLog(inbox, input, json),
  "entries.export": async (inbox, input) => ((await exportEntries(inbox, input)) ? 0 : exitBrokenPipe),
};

type LineReader = (inbox: Inbox, path: string, warnings: string[]) => Promise<object>;

/** By operation; each reads a file and answers for the whole of it. The fields say which operations these are (type `lines`). */
export const lineReaders: Readonly<Record<string, LineReader>> = { "entries.import": importEntries };
