/** `inbox logs`: the end of the background hub's log, and lines that are added to it. */
import { InboxError } from "../../contract/errors.ts";
import { parseInput } from "../../contract/operation.ts";
import { busLogs } from "../../contract/operations/bus-logs.ts";
import type { OutputOf } from "../../contract/operations/index.ts";
import { type Asked, isHub } from "../../location/locate.ts";
import { exists } from "../../platform/system.ts";
import { hubFolder, locateServed } from "../../service/hub-folder.ts";
import { followLines, lastLines } from "../../service/log-lines.ts";
import { logLineText } from "../text/hub.ts";
import { safe, safeJson } from "../text/safe.ts";
import type { CommandInput } from "./input.ts";
import { untilInterrupted } from "./interrupt.ts";
import { complain, exitBrokenPipe, hasOutput, paintFor, print, readerGone } from "./output.ts";

export async function runLogs(
  asked: Asked,
  { input }: CommandInput,
  json: boolean,
  respond: (output: OutputOf<"bus.logs">) => Promise<number>,
): Promise<number> {
  const { lines: count, follow } = parseInput(busLogs, input);
  const location = locateServed(asked);
  if (isHub(location))
    throw new InboxError(
      "invalid_input",
      `logs reads the log file of a hub on this machine, but ${location} is an address`,
      {
        hint: "run it where the hub runs",
      },
    );
  const { log } = hubFolder(location, asked.env);
  if (!follow) return respond({ log, lines: lastLines(log, count) });
  if (!(await hasOutput())) return exitBrokenPipe;
  const paint = paintFor(1);
  const text = (line: OutputOf<"bus.logs">["lines"][number]) =>
    json ? `${safeJson(line)}\n` : `${logLineText(line, paint)}\n`;
  if (!exists(log))
    complain(`${safe(log)} does not exist yet; waiting for the background hub to create it\n`);
  const { last, coming } = followLines(log, count, untilInterrupted());
  for (const line of last) if (!(await print(text(line)))) return exitBrokenPipe;
  const printed = async () => {
    for await (const line of coming) if (!(await print(text(line)))) return exitBrokenPipe;
    return 0;
  };
  return Promise.race([printed(), readerGone()]);
}
