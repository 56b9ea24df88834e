/** `inbox mcp`: the server on standard input and output, until its client goes away. */
import type { ToolListing } from "../../contract/operation.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import type { Session } from "./call.ts";
import type { Greeting } from "./greeting.ts";
import { OpenRequests } from "./open-requests.ts";
import { openStandardInput, type StandardInput } from "./standard-input.ts";
import { openStandardOutput, type StandardOutput } from "./standard-output.ts";

/** A client at the other end of standard input and output. */
export interface Client {
  input: StandardInput["stream"];
  output: StandardOutput;
  /** What its `initialize` was answered with already. */
  greeting: Greeting | undefined;
  /** To be called once its messages are read. */
  served(): void;
  ended: Promise<void>;
}

/** A client may send all it has to ask and close its end. What can be answered soon still is; a wait is ended. */
const lastAnswersMs = 500;

let met: Promise<Client> | undefined;

/**
 * Resolves once a client has said something, and has its answer if that was `initialize`. Neither the bus nor the
 * protocol's library is needed for that; to load them takes longer than all the rest of a start.
 */
export function meetClient(): Promise<Client> {
  met ??= meet();
  return met;
}

async function meet(): Promise<Client> {
  const requests = new OpenRequests();
  const output = openStandardOutput(requests);
  const served = Promise.withResolvers<void>();
  const input = openStandardInput({
    answer: output.send,
    came: (message) => requests.came(message),
    async rested() {
      await served.promise;
      await requests.none(lastAnswersMs);
      await output.emptied(lastAnswersMs);
    },
  });
  const ended = endOf(input, output);
  const greeting = await Promise.race([input.begun, ended]);
  return { input: input.stream, output, greeting: greeting || undefined, served: served.resolve, ended };
}

/** A client that starts us writes `initialize` at once: mostly it is there before we are. */
const promptlyMs = 3;

/** Answers a client that is there already; one that is late is answered by whoever calls `meetClient`. */
export async function meetPromptClient(): Promise<void> {
  let timer: Timer | undefined;
  const late = new Promise<void>((passed) => {
    timer = setTimeout(passed, promptlyMs);
  });
  await Promise.race([meetClient(), late]);
  clearTimeout(timer);
}

/** Clients end a session in many ways: some close our input, some send a signal, some are simply gone. */
function endOf(input: StandardInput, output: StandardOutput): Promise<void> {
  return new Promise((ended) => {
    // Of what is read, not of what is still to be read: a client may send all it has to ask and close its end.
    input.stream.once("end", ended);
    input.stream.once("close", ended);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ended());
    void output.gone.then(ended);
  });
}

export interface Served {
  inbox: Inbox;
  who: Pick<Session, "caller" | "agent">;
  sets: readonly ToolListing[] | undefined;
}

export async function serveClient(client: Client, served: Served): Promise<void> {
  const { serve } = require("./serve-stdio.ts") as typeof import("./serve-stdio.ts");
  const { over, close } = serve(client, served);
  client.served();
  await Promise.race([client.ended, over]);
  await close();
}
