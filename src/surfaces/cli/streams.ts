/** Answers that come a line at a time, for as long as somebody reads. */
import type { Inbox } from "../../inbox.ts";
import { snakeCase } from "../text/recase.ts";
import { exportEntries } from "./entries.ts";
import { followLog } from "./log.ts";
import { exitBrokenPipe, print } from "./output.ts";

type Stream = (
  inbox: Inbox,
  input: Record<string, unknown>,
  how: { json: boolean; label: (key: string) => string },
) => Promise<number>;

/** By operation; each answers with the exit code. Which there are the table says (`cli.stream`). */
export const streams: Readonly<Record<string, Stream>> = {
  "events.watch": async (inbox, input, { label }) => {
    for await (const record of inbox.follow(input, { label }))
      if (!(await print(`${JSON.stringify(snakeCase(record))}\n`))) return exitBrokenPipe;
    return 0;
  },
  "tasks.log": (inbox, input, { json }) => followLog(inbox, input, json),
  "entries.export": async (inbox, input) => ((await exportEntries(inbox, input)) ? 0 : exitBrokenPipe),
};
