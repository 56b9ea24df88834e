/**
 * [Q13] `inbox shell`: runs slash commands for `main`. Each runs as a separate process, so that Ctrl-C ends a wait
 * and not the shell, and a crash of one command affects nothing else.
 */
import { asInboxError } from "../../contract/errors.ts";
import type { Event } from "../../contract/event.ts";
import { idOf } from "../../contract/ids.ts";
import { agentIn } from "../../contract/terminal-id.ts";
import { type Inbox, openInbox } from "../../inbox/inbox.ts";
import { type Asked, isHub, locate } from "../../location/locate.ts";
import { programWords } from "../../orch/program.ts";
import { fs } from "../../platform/system.ts";
import { connect } from "../client/client.ts";
import { refusalText } from "../text/refusal.ts";
import { oneLine } from "../text/safe.ts";
import type { Program } from "./commands.ts";
import { wrapped } from "./help.ts";
import { complain, paintFor } from "./output.ts";
import type { Globals } from "./scan.ts";
import { completer } from "./shell-completion.ts";
import { historyFile, readHistory } from "./shell-history.ts";
import { meantBy, slashCommands } from "./slash.ts";
import { typing } from "./typing.ts";
import { wordsOf } from "./words.ts";

const usual = [
  "push",
  "run",
  "queue",
  "send",
  "receive",
  "check",
  "inbox",
  "kill",
  "remove",
  "log",
  "gather",
];

export async function runShell(
  asked: Asked,
  delivery: string | undefined,
  globals: Globals,
): Promise<number> {
  const location = locate(asked);
  const agent = globals.agent ?? agentIn(asked.env) ?? "main";
  const token = globals.token ?? (asked.env.INBOX_TOKEN || undefined);
  const env = { ...asked.env, INBOX_DB: location, INBOX_AGENT: agent, INBOX_TOKEN: token };
  const inbox = (isHub(location) ? connect(location, { token }) : openInbox(location, { delivery })) as Inbox;
  const run = (line: string) => runLine(line, env);
  try {
    return process.stdin.isTTY ? await talk(inbox, agent, run) : await readThrough(run);
  } finally {
    await inbox.close();
  }
}

/** From a pipe or a file: one line after another; its exit code is that of the last failure. */
async function readThrough(run: (line: string) => Promise<number | "quit">): Promise<number> {
  let status = 0;
  const { createInterface } = require("node:readline") as typeof import("node:readline");
  for await (const line of createInterface({ input: process.stdin, terminal: false })) {
    const code = await run(line);
    if (code === "quit") break;
    if (code !== 0) status = code;
  }
  return status;
}

async function talk(
  inbox: Inbox,
  agent: string,
  run: (line: string) => Promise<number | "quit">,
): Promise<number> {
  const { createInterface } = require("node:readline") as typeof import("node:readline");
  const paint = paintFor(1);
  const lines = createInterface({
    input: process.stdin,
    output: process.stdout,
    prompt: paint.cyan(`${oneLine(agent)}> `),
    history: readHistory(),
    historySize: 1000,
    removeHistoryDuplicates: true,
    completer: completer(inbox),
  });
  const over = new AbortController();
  let busy = false;
  // What arrives while a command runs; the command may collect it.
  let held: Event[] = [];
  const announce = (event: Event) => {
    if (busy) return void held.push(event);
    process.stdout.write(
      `\r\u001b[K${paint.yellow("mail")} from ${oneLine(event.source)}: ${oneLine(event.summary)}\n`,
    );
    lines.prompt(true);
  };
  const announceHeld = async () => {
    const events = held;
    held = [];
    for (const event of await stillWaiting(inbox, agent, events)) announce(event);
  };
  void announceMail(inbox, agent, announce, over.signal);
  process.stdout.write(`${paint.dim("/help lists the commands, Ctrl-D leaves")}\n`);
  lines.prompt();
  lines.on("SIGINT", () => {
    if (!lines.line) lines.close();
    lines.write(null, { ctrl: true, name: "e" });
    lines.write(null, { ctrl: true, name: "u" });
  });
  const ended = new Promise<void>((resolve) => lines.once("close", resolve));
  lines.on("line", (line) => {
    remember(line);
    busy = true;
    lines.pause();
    // In raw mode Ctrl-C would be a character that nobody reads.
    process.stdin.setRawMode(false);
    void run(line).then((code) => {
      busy = false;
      if (code === "quit") return lines.close();
      process.stdin.setRawMode(true);
      lines.resume();
      lines.prompt();
      void announceHeld();
    });
  });
  await ended;
  over.abort();
  process.stdout.write("\n");
  return 0;
}

/** Live notices: mail that arrives while the person reads or types. Nothing is collected by it. */
async function announceMail(
  inbox: Inbox,
  agent: string,
  announce: (event: Event) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const event of inbox.follow({}, { signal }))
      if (event.messageId !== null && event.payload.to === agent && event.source !== agent) announce(event);
  } catch {
    // The database is unavailable, or the shell is ending: commands report this themselves.
  }
}

/** Those of them that nobody has collected yet. */
async function stillWaiting(inbox: Inbox, agent: string, events: readonly Event[]): Promise<Event[]> {
  if (!events.length) return [];
  try {
    const waiting: (Event | undefined)[] = [];
    // By its sender: a list of everything shows the oldest first, and these are the newest.
    for (const from of new Set(events.map(({ source }) => source))) {
      const { messages, total } = await inbox.call("mailbox.list", { agent, from, limit: mostListed });
      const ids = new Set<string | null>(messages.map(({ id }) => idOf("message", id)));
      const isCut = total > messages.length;
      waiting.push(
        ...events.filter(({ source, messageId }) => source === from && (isCut || ids.has(messageId))),
      );
    }
    return events.filter((event) => waiting.includes(event));
  } catch {
    return []; // as for any notice
  }
}

/** More than anybody reads as notices. */
const mostListed = 1000;

async function runLine(line: string, env: Record<string, string | undefined>): Promise<number | "quit"> {
  try {
    const words = wordsOf(line);
    const [first] = words;
    if (first === undefined) return 0;
    if (first === "/quit" || first === "/exit") return "quit";
    if (first === "/help") return help(words[1]?.replace(/^\//, ""), env);
    const { program, argv } = meantBy(words);
    return await start(program, argv, env);
  } catch (error) {
    complain(refusalText(asInboxError(error).shape(typing()), paintFor(2)));
    return 30;
  }
}

async function start(
  program: Program,
  argv: readonly string[],
  env: Record<string, string | undefined>,
): Promise<number> {
  const ignore = () => {};
  // The running program gets the Ctrl-C as well, and ends; the shell continues.
  process.on("SIGINT", ignore);
  try {
    const child = Bun.spawn([...programWords(), ...argv], {
      argv0: program,
      env: { ...env, INBOX_PROGRAM: program, INBOX_SHELL: "1" },
      stdin: "ignore",
      stdout: "inherit",
      stderr: "inherit",
    });
    return await child.exited;
  } finally {
    process.off("SIGINT", ignore);
  }
}

async function help(command: string | undefined, env: Record<string, string | undefined>): Promise<number> {
  if (command !== undefined) {
    const { program, argv } = meantBy([`/${command}`]);
    return start(program, [...argv, "--help"], env);
  }
  const paint = paintFor(1);
  const others = [...slashCommands().keys()].filter((name) => !usual.includes(name)).sort();
  process.stdout.write(`/push [model=MODEL] [name=NAME] [timeout=SECONDS] PROMPT   queue a task
/run [N]                                                   start what is queued, N at a time
/queue                                                     what is queued, running, finished
/send AGENT MESSAGE                                        send a message
/receive [from=AGENT] [--lifo]                             wait for a message and take it
/check [from=AGENT] [--lifo]                               take what is there, without waiting
/inbox                                                     what is waiting, without taking it
/kill NAME, /remove NAME, /log NAME, /gather from=A,B
${paint.dim(wrapped(`/help COMMAND shows one command; also ${others.map((name) => `/${name.replaceAll(" ", "\u00a0")}`).join(" ")}; /quit`).replaceAll("\u00a0", " "))}
`);
  return 0;
}

function remember(line: string): void {
  if (!line.trim()) return;
  try {
    fs().appendFileSync(historyFile(), `${line}\n`, { mode: 0o600 });
  } catch {
    // The history is only a convenience.
  }
}
