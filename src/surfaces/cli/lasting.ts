/** Operations on the database that do more than answer: a server that stays, a conversation with a client, a question first. */
import type { Asked } from "../../location.ts";
import type { CommandInput } from "./input.ts";
import { runMcp } from "./mcp.ts";
import type { Globals } from "./scan.ts";
import { runHub } from "./serve.ts";
import { runSetup } from "./setup.ts";
import { runSupervisor } from "./supervise.ts";

interface Called {
  asked: Asked;
  delivery: string | undefined;
  globals: Globals;
  command: CommandInput;
  /** Prints an answer as every other is printed. */
  respond(value: unknown): Promise<number>;
}

/** By operation; each answers with the exit code. */
export const lastingWays: Readonly<Record<string, (called: Called) => Promise<number>>> = {
  "bus.serve": async ({ asked, delivery, command, respond }) => {
    await runHub(asked, delivery, command, respond);
    return 0;
  },
  "bus.mcp": ({ asked, delivery, globals, command }) => runMcp(asked, delivery, globals, command),
  "bus.setup": async ({ asked, globals, command, respond }) =>
    respond(await runSetup(asked, command, globals.json)),
  "bus.trust": async ({ asked, globals, command, respond }) =>
    respond(await (await import("./trust.ts")).runTrust(asked, command, globals.json)),
  "bus.supervise": async ({ asked, delivery, respond }) => respond(await runSupervisor(asked, delivery)),
};
