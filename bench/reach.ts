/** From `send` to an agent having the message, in the middle of ten tool calls: by the hook after a tool, and by interrupting. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { type Inbox, openInbox } from "../src/inbox/inbox.ts";
import { agentPrograms, noWayOut } from "../test/support/agent-programs.ts";
import { root } from "../test/support/cli.ts";
import { begun, type Crew, crew } from "../test/support/crew.ts";
import { until } from "../test/support/until.ts";
import { sharedNow } from "./support/clock.ts";
import { median, most, ms, percentile, times } from "./support/figures.ts";
import type { Benchmark, Section } from "./support/section.ts";

/** What a tool does before the hook runs. */
const workMs = 200;
const rounds = 20;
const interruptRounds = 10;
const claudeRounds = 5;

interface Reached {
  /** Whole tool calls, the hook included. */
  calls: number[];
  /** From just before the send until the agent had it. */
  waits: number[];
}

/** A scripted agent with the hook that Claude Code runs. The send falls anywhere into one of its calls. */
async function byHook(team: Crew, inbox: Inbox, count: number): Promise<Reached> {
  const reached: Reached = { calls: [], waits: [] };
  const script = join(import.meta.dir, "children/ten-tools.ts");
  for (let round = 0; round < count; round++) {
    let sent: number | undefined;
    let seen = false;
    const child = Bun.spawn(
      [process.execPath, script, join(root, "plugin/hooks/new-mail.sh"), String(workMs)],
      {
        cwd: team.path,
        env: {
          PATH: `${join(root, "dist")}:${process.env.PATH}`,
          HOME: team.path,
          INBOX_DB: team.db,
          INBOX_AGENT: "worker",
        },
        stdio: ["ignore", "inherit", "inherit"],
        async ipc(said: { call: number; begun: number; ended?: number; seen?: boolean }) {
          if (said.ended === undefined && said.call === 4) {
            await Bun.sleep(Math.random() * workMs);
            sent = sharedNow();
            await inbox.call("mailbox.send", { from: "bob", to: "worker", message: `round ${round}` });
          }
          if (said.ended === undefined) return;
          reached.calls.push(said.ended - said.begun);
          if (said.seen && sent !== undefined && !seen) {
            seen = true;
            reached.waits.push(said.ended - sent);
          }
        },
      },
    );
    await child.exited;
    if (!seen) throw new Error("the message was not seen within ten tool calls");
  }
  return reached;
}

/** A sub-agent whose turn would take for ever; `arrived` says when its program had the message. */
async function byInterrupt(
  inbox: Inbox,
  count: number,
  start: (name: string) => Promise<unknown>,
  arrived: (sent: number) => Promise<number>,
): Promise<number[]> {
  const waits: number[] = [];
  for (let round = 0; round < count; round++) {
    const name = `sub-${round}`;
    await start(name);
    const sent = Date.now();
    await inbox.call("mailbox.send", { from: "main", to: name, message: "stop", interrupt: true });
    waits.push((await arrived(sent)) - sent);
    await inbox.call("mailbox.receive", { agent: "main", timeoutSeconds: 30 });
  }
  return waits;
}

/** When a file was last written, once that is after a time. */
const writtenAfter = (path: string) => async (sent: number) => {
  const at = () => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  await until("the program has the message", () => at() >= sent);
  return at();
};

const profiles = `
[runners.acp]
kind = "acp"
command = ${JSON.stringify([process.execPath, join(root, "test/support/acp-agent.ts")])}
[runners.again]
command = ["sh", "-c", "{prompt}"]
resume = ["sh", "-c", "touch told; cat >/dev/null; echo over"]
`;

async function interrupts(): Promise<{ acp: number[]; resumed: number[] }> {
  using team = await crew(profiles);
  const inbox = openInbox(team.db);
  const transcript = async (name: string, text: string) =>
    (await inbox.call("tasks.log", { name })).entries.some((entry) => entry.text.includes(text));
  try {
    const acp = await byInterrupt(
      inbox,
      interruptRounds,
      async (name) => {
        await team.orch("assign", "profile=acp", `name=${name}`, '[{"wait": "cancel"}]');
        await until("it waits", () => transcript(name, "waiting"));
      },
      writtenAfter(join(team.path, "memory.json")),
    );
    const resumed = await byInterrupt(
      inbox,
      interruptRounds,
      async (name) => {
        await team.orch("assign", "profile=again", `name=${name}`, `touch ${name}; exec sleep 1000`);
        await begun(team, name);
      },
      writtenAfter(join(team.path, "told")),
    );
    return { acp, resumed };
  } finally {
    await inbox.close();
  }
}

const claude = agentPrograms.find(({ name }) => name === "claude")!;

/** Claude Code as a sub-agent, with a scripted model that takes ten tools. */
async function byClaude(count: number): Promise<Reached> {
  const reached: Reached = { calls: [], waits: [] };
  using team = await crew();
  const inbox = openInbox(team.db);
  let last = 0;
  let sent: number | undefined;
  let seen = false;
  await using model = claude.scripted(({ tools, results, user, system }) => {
    const now = sharedNow();
    if (!tools.length) return "a title";
    if (results.length > 0) reached.calls.push(now - last);
    last = now;
    if (sent !== undefined && !seen && `${user.join("\n")}${system}`.includes("> look here")) {
      seen = true;
      reached.waits.push(now - sent);
    }
    if (results.length === 10) return "done";
    if (results.length === 4)
      setTimeout(async () => {
        sent = sharedNow();
        await inbox.call("mailbox.send", { from: "bob", to: "sub", message: "look here" });
      }, Math.random() * workMs);
    const input = { command: `sleep ${workMs / 1000}`, description: "work" };
    return [{ type: "tool_use", ...claude.shell!("x"), input }];
  });
  const env = {
    ...noWayOut,
    HOME: team.path,
    ...(await claude.settle(team.path, model.url)),
    IS_SANDBOX: "1",
  };
  const told = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const runner = `[runners.claude]\ncommand = [${JSON.stringify(claude.program)}]\npermission = "allow"\n`;
  await Bun.write(
    join(team.path, ".agents/agents.toml"),
    `${runner}[runners.claude.env]\n${told.join("\n")}\n`,
  );
  try {
    for (let round = 0; round < count; round++) {
      [sent, seen] = [undefined, false];
      const { json } = await team.orch("handoff", "profile=claude", "name=sub", "go");
      if (!seen) throw new Error(`the model did not see the message: ${JSON.stringify(json)}`);
    }
  } finally {
    await inbox.close();
  }
  return reached;
}

async function run(size = rounds): Promise<Section> {
  const scripted = await withTeam((team, inbox) => byHook(team, inbox, size));
  const { acp, resumed } = await interrupts();
  const real = claude.program ? await byClaude(claudeRounds) : undefined;
  const call = median(scripted.calls);
  const row = (name: string, samples: readonly number[], floor: number) => [
    name,
    ms(median(samples)),
    ms(percentile(samples, 0.9)),
    ms(most(samples)),
    times(median(samples) / floor),
  ];
  const within = (who: string, { calls, waits }: Reached) => ({
    aim: `a message reaches ${who} within one tool call, p50`,
    found: times(median(waits) / median(calls)),
    met: median(waits) <= median(calls),
  });
  return {
    title: "From send to the model",
    about:
      `An agent is in the middle of ten tool calls of ${workMs} ms each, and a message is sent at any moment of the fifth. Counted from just before the send ` +
      `until the agent has it: by the hook that runs after each tool (${size} rounds), and by \`--interrupt\`, where the turn would take for ever (${interruptRounds} rounds each). ` +
      "The measure is one tool call, the hook included. Claude Code is a real one with a scripted model, where there is one.",
    tables: [
      {
        head: ["", "p50", "p90", "worst", "to one tool call"],
        rows: [
          row("scripted agent: one tool call", scripted.calls, call),
          row("scripted agent: it is shown the message", scripted.waits, call),
          row("ACP agent: cancelled, and prompted with it", acp, call),
          row("resumable command: stopped, and resumed with it", resumed, call),
          ...(real
            ? [
                row("Claude Code: one tool call", real.calls, median(real.calls)),
                row("Claude Code: its model has the message", real.waits, median(real.calls)),
              ]
            : []),
        ],
      },
    ],
    aims: [
      within("a scripted agent", scripted),
      ...(real ? [within("the model of a real Claude Code", real)] : []),
    ],
    ...(real ? {} : { notes: ["There was no Claude Code on this machine (`TEST_CLAUDE`)."] }),
  };
}

async function withTeam<T>(use: (team: Crew, inbox: Inbox) => Promise<T>): Promise<T> {
  using team = await crew();
  const inbox = openInbox(team.db);
  try {
    return await use(team, inbox);
  } finally {
    await inbox.close();
  }
}

export const reach: Benchmark = { name: "reach", run };
