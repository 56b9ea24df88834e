import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openInbox } from "../../src/inbox/inbox.ts";
import { usualDatabase } from "../../src/location/locate.ts";
import { desk, root, run } from "../support/cli.ts";
import { processesOf } from "../support/crew.ts";
import { sitDown } from "../support/terminal.ts";
import { until } from "../support/until.ts";

/** A desk whose sub-agents are shell scripts. */
async function deskWithScripts() {
  const here = await desk();
  writeFileSync(
    join(here.path, ".agents/agents.toml"),
    'default = "sh"\n[runners.sh]\ncommand = ["sh", "-c", "{prompt}"]\n',
  );
  return here;
}

const typed = (path: string, lines: string) =>
  run(["shell"], { cwd: path, stdin: lines, env: { XDG_STATE_HOME: path } });

test("[Q13] the slash commands are typed as the protocol has them, and act for main", async () => {
  using here = await deskWithScripts();
  const { stdout, stderr, code } = await typed(
    here.path,
    `/push name=a "echo one"
/push name=b timeout=300 "echo 'two words'"
/push "echo three"
/queue
/run 2               # two at a time
/receive from=b      # b's result
/receive
/receive --lifo

/check
/send main "to myself"
/inbox
/check from=main --lifo
/queue
`,
  );
  expect(stderr).toBe("");
  expect(code).toBe(10); // the last failure: nothing more was there at the first check
  const [before, after] = stdout.split(/released \d+ tasks?: /);
  expect(before).toContain("Queued:\n  - a");
  expect(after).toContain("two words");
  expect(after).toMatch(/\n {2}one\n/);
  expect(after).toMatch(/\n {2}three\n/);
  expect(after).toContain("no mail");
  expect(after).toMatch(/main +\w+ +\d+s ago/);
  expect(after).toContain("to myself");
  expect(after).toMatch(/Finished:\n(.*\n){3}/);
  const { json } = await run(["agents", "--json"], { cwd: here.path });
  expect(json.agents.map(({ name }: { name: string }) => name)).toContain("main");
});

test("[Q13] a mistake is explained, and the next line is read", async () => {
  using here = await deskWithScripts();
  const { stdout, stderr, code } = await typed(
    here.path,
    'push x\n/pusj x\n/push "open\n/run now\n/serve\n/snooze\n\n# a remark\n/help\n/help push\n/quit\n/queue\n',
  );
  expect(code).toBe(30);
  expect(stderr).toContain("a command begins with /");
  expect(stderr).toContain('did you mean "/push"?');
  expect(stderr).toContain('did you mean "/entries snooze"?');
  expect(stderr).toContain("is not closed");
  expect(stderr).toContain("N must be a whole number");
  expect(stderr).toContain("there is no command /serve");
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stdout).toContain("/receive [from=AGENT] [--lifo]");
  expect(stdout).toContain("Usage: orch push");
  expect(stdout).not.toContain("the queue is empty");
});

test("[Q13] text at the end need not be quoted, and an apostrophe is one", async () => {
  using here = await deskWithScripts();
  const { stdout, stderr } = await typed(
    here.path,
    "/send main hello there, it's me\n/send main --json to be read by a program\n/msg send builds build 7 is green\n/check\n/msg inbox builds\n",
  );
  expect(stderr).toBe("");
  expect(stdout).toContain("hello there, it's me");
  expect(stdout).toContain("to be read by a program");
  expect(stdout).toContain("build 7 is green");
});

test("[Q13] commands in hints begin with a slash", async () => {
  using here = await deskWithScripts();
  const { stdout, stderr } = await typed(
    here.path,
    "/queue\n/push echo\n/show thr_9\n/show\n/task nothing\n",
  );
  expect(stdout).toContain("the queue is empty; /push PROMPT adds a task");
  expect(stdout).toContain("/run starts it");
  expect(stderr).toContain("hint  /list lists the threads");
  expect(stderr).toContain("for example: /show thr_123; /show --help");
  expect(stderr).toContain("/queue --all shows the tasks");
  expect(stdout + stderr).not.toMatch(/\b(inbox|orch) (list|show|queue|push|run)\b/);
});

test("[Q13] the list of commands breaks between commands, not in them", async () => {
  using here = await deskWithScripts();
  const lines = (await typed(here.path, "/help\n")).stdout.split("\n");
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(98);
  expect(lines.some((line) => /(^| )\/msg ack all( |$)/.test(line))).toBe(true);
  for (const line of lines.slice(9, -1)) expect(line).toStartWith("/");
});

test("[Q13.1] mail that a command has collected while it ran is not announced after it", async () => {
  using here = await deskWithScripts();
  // More than a list shows at once, all older.
  const inbox = openInbox(join(here.path, usualDatabase));
  const older = Array.from({ length: 1001 }, (_, n) => ({
    to: "lead",
    from: "stranger",
    message: `older ${n}`,
  }));
  await Promise.all(older.map((one) => inbox.call("mailbox.send", one)));
  await inbox.close();
  await using seat = sitDown(["shell", "--agent", "lead"], here.path, { XDG_STATE_HOME: here.path });
  await seat.sees("lead> ");
  seat.type("/receive from=friend\r");
  await until("the shell waits for mail", () =>
    processesOf(here.path).some(({ command }) => command.includes("receive from=friend")),
  );
  await run(["send", "lead", "from a stranger", "--from", "stranger"], { cwd: here.path });
  await run(["send", "lead", "for the wait", "--from", "friend"], { cwd: here.path });
  const screen = await seat.sees("from stranger: from a stranger");
  expect(screen).toContain("for the wait");
  seat.type("/queue\r");
  expect(await seat.sees("the queue is empty")).not.toContain("from friend: ");
});

test("[Q13] [Q13.1] in a terminal: completion, history, notices of mail, and Ctrl-C ends a wait but not the shell", async () => {
  using here = await deskWithScripts();
  await using seat = sitDown(["shell", "--agent", "lead"], here.path, { XDG_STATE_HOME: here.path });
  await seat.sees("lead> ");
  seat.type("/pu\t");
  await seat.sees("/push ");
  seat.type('name=otter "echo hello from below"\r');
  await seat.sees("/run starts it");
  await seat.sees("lead> ");
  seat.type("/run\r");
  await seat.sees("released 1 task: otter");
  await seat.sees("from otter: hello from below");
  seat.type("/receive from=nobody\r");
  // It prints nothing when it has begun; a key before that would be meant for the shell.
  await until("the shell waits for mail", () =>
    processesOf(here.path).some(({ command }) => command.includes("receive from=nobody")),
  );
  await run(["send", "lead", "a word", "--from", "friend"], { cwd: here.path });
  seat.type("\u0003");
  await seat.sees("lead> ");
  await seat.sees("from friend: a word");
  await seat.sees("lead> ");
  seat.type("/check from=otter\r");
  await seat.sees("hello from below");
  await seat.sees("lead> ");
  seat.type("\u001b[A");
  await seat.sees("/check from=otter");
  seat.type("\u0003");
  await seat.sees("lead> ");
  seat.type("\u0004");
  expect(await seat.exited).toBe(0);
});

test("[Q13] the history is there again in the next shell", async () => {
  using here = await deskWithScripts();
  const env = { XDG_STATE_HOME: here.path };
  await using first = sitDown(["shell"], here.path, env);
  await first.sees("main> ");
  first.type("/queue\r");
  await first.sees("the queue is empty");
  await first.sees("main> ");
  first.type("\u0004");
  await first.exited;
  await using second = sitDown(["shell"], here.path, env);
  await second.sees("main> ");
  second.type("\u001b[A");
  await second.sees("/queue");
});

test("[Q1] a push says whose task it is and how that agent starts it, in a shell and as slash commands", async () => {
  using here = await deskWithScripts();
  const push = async (...words: string[]) =>
    (await run(["push", ...words, "true"], { cwd: here.path, program: [join(root, "dist/orch")] })).stdout;
  expect(await push("name=mine")).toBe("queued mine; orch run starts it\n");
  expect(await push("name=theirs", "agent=claudee")).toBe(
    "queued theirs; its result goes to claudee; orch run --agent claudee starts it\n",
  );
  const { stdout } = await typed(here.path, "/push name=a true\n/push name=b agent=claudee true\n");
  expect(stdout).toBe(
    "queued a; /run starts it\nqueued b; its result goes to claudee; /run --agent claudee starts it\n",
  );
  // Nobody would collect the result of a misspelled parent.
  expect(await push("name=typo", "agent=cluadee")).toEndWith(
    'note nobody has used the name "cluadee" yet; did you mean claudee?\n',
  );
  const released = await run(["run", "--agent", "claudee"], {
    cwd: here.path,
    program: [join(root, "dist/orch")],
  });
  expect(released.stdout).toContain("released 2 tasks: theirs, b");
  expect(released.stdout).toContain("inbox receive --agent claudee");
});
