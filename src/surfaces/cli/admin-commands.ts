/** Operations that do more than answer once: a server that keeps running, a conversation with a client, a question first. */
import { runExport } from "../../admin/operations.ts";
import { type Asked, locate } from "../../location/locate.ts";
import { runMcp } from "./bus-mcp.ts";
import { runHub } from "./bus-serve.ts";
import { runSetup } from "./bus-setup.ts";
import { runSupervisor } from "./bus-supervise.ts";
import type { CommandInput } from "./input.ts";
import { openInboxAt, tokenOf } from "./open-inbox.ts";
import { exitBrokenPipe, print } from "./output.ts";
import type { Globals } from "./scan.ts";

interface Called {
  asked: Asked;
  delivery: string | undefined;
  globals: Globals;
  command: CommandInput;
  /** Prints an answer in the usual form. */
  respond(value: unknown): Promise<number>;
}

type Way = (called: Called) => Promise<number>;

/** Of an operation that does more than answer once. */
export const lastingWay = (name: string): Way | undefined => lastingWays[name];

/** By operation; each returns the exit code. */
const lastingWays: Readonly<Record<string, Way>> = {
  "bus.serve": async ({ asked, delivery, command, respond }) => {
    await runHub(asked, delivery, command, respond);
    return 0;
  },
  "bus.mcp": ({ asked, delivery, globals, command }) => runMcp(asked, delivery, globals, command),
  "bus.setup": async ({ asked, globals, command, respond }) =>
    respond(await runSetup(asked, command, globals.json)),
  "bus.trust": async ({ asked, globals, command, respond }) =>
    respond(await (await import("./bus-trust.ts")).runTrust(asked, command, globals.json)),
  "bus.export": async ({ asked, command, respond }) => {
    const { input } = command;
    const told = await runExport(asked, input, print);
    if (!told) return exitBrokenPipe;
    return told.file === "-" ? 0 : respond(told);
  },
  "bus.top": async ({ asked, delivery, globals, command, respond }) => {
    const { runTop } = await import("./bus-top.ts");
    const inbox = await openInboxAt(locate(asked), { delivery, token: tokenOf(globals) });
    return runTop(inbox, command, globals.json, respond).finally(() => inbox.close());
  },
  "bus.demo": async ({ asked, globals, command, respond }) => {
    const { runDemo } = await import("./bus-demo.ts");
    const told = await runDemo(asked.env, command, globals.json);
    return globals.json ? respond(told) : 0;
  },
  "bus.quickstart": async ({ asked, globals, command, respond }) => {
    const { runQuickstart } = await import("./bus-quickstart.ts");
    const told = await runQuickstart(asked, command, globals.json);
    return globals.json ? respond(told) : 0;
  },
  "bus.logs": async ({ asked, globals, command, respond }) =>
    (await import("./bus-logs.ts")).runLogs(asked, command, globals.json, respond),
  "bus.supervise": async ({ asked, delivery, respond }) => respond(await runSupervisor(asked, delivery)),
};
