/** The slash commands: typed as in a shell, run as the main agent. Each answers with lines to show. */
import { api, hasToken } from "../data/api.ts";
import { leader, ownedBy, statusOf, type Task, tasks } from "../data/tasks.ts";
import { age } from "../ui/time.tsx";

export interface Slash {
  name: string;
  usage: string;
  help: string;
  /** What it takes from somebody else. It is run when it is entered a second time. */
  takes?: string;
  run(rest: string, signal: AbortSignal): Promise<string[]>;
}

interface Words {
  options: Record<string, string>;
  flags: Set<string>;
  rest: string;
}

/** `key=value` and `--flag` before the first other word; `--` ends them; quotes around all of the rest are removed. */
export function wordsOf(text: string): Words {
  const options: Record<string, string> = {};
  const flags = new Set<string>();
  let rest = text.trim();
  for (;;) {
    const option = /^(?:--)?([a-z]+)=("[^"]*"|'[^']*'|\S+)(?:\s+|$)/.exec(rest);
    const flag = /^--([a-z]*)(?:\s+|$)/.exec(rest);
    if (option) options[option[1]!] = option[2]!.replace(/^(["'])(.*)\1$/, "$2");
    else if (flag?.[1]) flags.add(flag[1]);
    else if (!flag) break;
    rest = rest.slice((option ?? flag)![0].length);
    if (flag && !flag[1]) break;
  }
  return { options, flags, rest: rest.replace(/^(["'])([\s\S]*)\1$/, "$2").trim() };
}

const me = ownedBy(leader);
const from = hasToken ? {} : { from: leader };

function filterOf(text: string) {
  const { options, flags } = wordsOf(text);
  return { ...me, ...(options.from && { from: options.from }), ...(flags.has("lifo") && { lifo: true }) };
}

const said = (messages: readonly { senderId: string; message: string; createdAt: string }[]) =>
  messages.length
    ? messages.map(
        ({ senderId, message, createdAt }) =>
          `${senderId} (${age(Date.parse(createdAt), Date.now())}): ${message}`,
      )
    : ["No messages."];

const group = (title: string, list: readonly Task[], at: (task: Task) => string | null) => [
  `${title}:`,
  ...(list.length ? list.map((task) => `  ${task.name}${at(task) ? ` (${at(task)})` : ""}`) : ["  none"]),
];

const since = (time: string | null) => (time ? `started ${age(Date.parse(time), Date.now())}` : null);

const takesMail =
  "This collects the mail: the main agent will not get it. Press Enter again to do so; /inbox shows it and collects nothing.";

const mail: Slash[] = [
  {
    name: "/inbox",
    usage: "/inbox",
    help: "list the messages in the main agent’s inbox",
    run: async () => said((await api.mailbox.list({ ...me })).messages),
  },
  {
    name: "/check",
    usage: "/check [from=ID] [--lifo]",
    help: "collect the messages that are ready",
    takes: takesMail,
    run: async (rest) => said((await api.mailbox.check(filterOf(rest))).messages),
  },
  {
    name: "/receive",
    usage: "/receive [from=ID] [--lifo]",
    help: "wait for a message and collect it",
    takes: takesMail,
    run: async (rest, signal) => said((await api.mailbox.receive(filterOf(rest), { signal })).messages),
  },
  {
    name: "/send",
    usage: "/send AGENT MESSAGE",
    help: "send a message to an agent",
    async run(rest) {
      const [, to, message] = /^(\S+)\s+([\s\S]+)$/.exec(rest.trim()) ?? [];
      if (!to || !message) throw new Error("missing recipient or message: /send AGENT MESSAGE");
      const { recipient } = await api.mailbox.send({
        ...from,
        to,
        message: wordsOf(message).rest || message,
      });
      const close = recipient.similar.length ? ` Did you mean ${recipient.similar.join(" or ")}?` : "";
      return [
        `Sent to ${to}.`,
        ...(recipient.hint ? [recipient.hint] : []),
        ...(recipient.known
          ? []
          : [`No agent with this name has been seen yet; the message is kept.${close}`]),
      ];
    },
  },
];

const work: Slash[] = [
  {
    name: "/push",
    usage: "/push [model=MODEL] [name=NAME] [timeout=SECONDS] PROMPT",
    help: "add a task to the queue",
    async run(rest) {
      const { options, rest: prompt } = wordsOf(rest);
      if (!prompt) throw new Error("missing prompt: /push PROMPT");
      const { model, name, timeout, profile } = options;
      const asked = {
        prompt,
        ...(model && { model }),
        ...(name && { name }),
        ...(profile && { profile }),
        ...(timeout && { timeout: Number(timeout) }),
      };
      const { task } = await tasks.push(asked, leader);
      return [`Queued ${task.name}. /run starts it.`];
    },
  },
  {
    name: "/run",
    usage: "/run [N]",
    help: "start queued tasks, N at a time",
    async run(rest) {
      const count = rest.trim() === "" ? undefined : Number(rest);
      if (count !== undefined && !(count >= 1)) throw new Error("N must be a number, as in /run 2");
      const { released } = await tasks.run(leader, count);
      return [released.length ? `Running ${released.join(", ")}.` : "Nothing is queued. /push adds a task."];
    },
  },
  {
    name: "/queue",
    usage: "/queue",
    help: "list queued, running and finished tasks",
    async run() {
      const { queued, running, finished } = await tasks.queue();
      return [
        ...group("Queued", queued, () => null),
        ...group("Running", running, ({ startedAt }) => since(startedAt)),
        ...group("Finished", finished, (task) => (task.success ? null : statusOf(task))),
      ];
    },
  },
];

export const slashCommands: readonly Slash[] = [...work, ...mail];
