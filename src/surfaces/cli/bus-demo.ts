/**
 * [N3] `inbox demo`: a scatter-gather that explains itself. Everything is real: sub-agents are started, followed,
 * timed out and gathered by the commands that are shown. Only their work is a shell script, so that no model is
 * needed.
 */

import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseInput } from "../../contract/operation.ts";
import { busDemo } from "../../contract/operations/bus-demo.ts";
import type { OutputOf } from "../../contract/operations/index.ts";
import { impersonal } from "../../orch/environment.ts";
import { unmarked } from "../../platform/agent-shell.ts";
import { isAlive } from "../../platform/alive.ts";
import { isOwnFolder } from "../../platform/own-files.ts";
import { removeTree } from "../../platform/remove-tree.ts";
import { fs } from "../../platform/system.ts";
import { untilThisEnds } from "../../service/bound-hub.ts";
import type { Paint } from "../text/paint.ts";
import { safe } from "../text/safe.ts";
import { openerOf, openPage } from "./browser.ts";
import type { CommandInput } from "./input.ts";
import { paintFor } from "./output.ts";
import { isAtTerminal } from "./question.ts";
import { openSteps, type Steps } from "./steps.ts";

type Output = OutputOf<"bus.demo">;
type Env = Record<string, string | undefined>;

const profiles = `default = "analyst"

[runners.analyst]
command = ["./analyst.sh", "{prompt}"]
`;

/** It reads the name of the file from its prompt, works for a moment, and prints what it found. */
const analyst = `#!/bin/sh
file=$(printf '%s' "$1" | grep -o 'dataset_[A-Z].csv')
echo "reading $file"
[ -p "$file" ] && cat "$file"
[ -e "$file" ] || { echo "there is no such file" >&2; exit 1; }
sleep 0.4
echo "$(wc -l < "$file" | tr -d ' ') values"
sleep 0.4
echo "adding them up"
sleep 0.4
awk -v f="$file" '{ s += $1 } END { printf "[Task: %s] mean = %.1f\\n", f, s / NR }' "$file"
`;

const names = ["a", "b", "c", "d"] as const;
const answerSeconds = 300;
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export async function runDemo(env: Env, { input }: CommandInput, json: boolean): Promise<Output> {
  const { noOpen } = parseInput(busDemo, input);
  clearLeftStages(env);
  const folder = makeStage();
  const own = environmentIn(folder, env);
  const steps = openSteps({ cwd: folder, env: own, json, apart: true });
  let ending: Promise<never> | undefined;
  const end = async () => {
    await steps.stop();
    clearStage(folder, env);
    process.exit(130);
  };
  const interrupted = () => {
    ending ??= end();
  };
  for (const signal of signals) process.on(signal, interrupted);
  try {
    return await play(steps, folder, {
      json,
      opener: noOpen || !isAtTerminal() ? undefined : openerOf(env),
      env,
    });
  } catch (error) {
    // A command that was ended by a signal has not failed.
    await ending;
    throw error;
  } finally {
    for (const signal of signals) process.off(signal, interrupted);
    await steps.ask("inbox", ["down", ...itsBus]).catch(() => {});
    removeTree(folder);
  }
}

const begin = "restante-demo-";

/** Named, so that it is never a bus above the folder: this one may not have been created yet. */
const itsBus = ["--db", ".agents/coord.db"];

/**
 * The demo is recorded nowhere else: not in the user's list of trusted buses, and none of the user's files are used. It
 * plays the person, too, also where a model has started it.
 * Its hub ends with this process, even if that is killed.
 */
const environmentIn = (folder: string, env: Env): Env => ({
  ...unmarked(impersonal(env)),
  XDG_STATE_HOME: join(folder, ".state"),
  XDG_CONFIG_HOME: join(folder, ".config"),
  ...untilThisEnds(),
});

/** Ends the hubs of demos that were killed, and removes their folders. */
function clearLeftStages(env: Env): void {
  for (const name of fs().readdirSync(tmpdir())) {
    const pid = name.startsWith(begin) ? /^(\d+)-/.exec(name.slice(begin.length))?.[1] : undefined;
    const folder = join(tmpdir(), name);
    if (pid === undefined || isAlive(Number(pid)) || !isOwnFolder(folder)) continue;
    try {
      clearStage(folder, env);
    } catch {
      // It stays: this demo needs only a folder of its own.
    }
  }
}

function makeStage(): string {
  const folder = fs().mkdtempSync(join(tmpdir(), `${begin}${process.pid}-`));
  const put = (name: string, text: string, mode = 0o600) =>
    fs().writeFileSync(join(folder, name), text, { mode });
  put("dataset_A.csv", "1\n2\n3\n4\n5\n");
  put("dataset_B.csv", "10\n20\n30\n");
  put("dataset_C.csv", "7\n7\n7\n7\n");
  put("analyst.sh", analyst, 0o700);
  // Reading it never ends.
  Bun.spawnSync(["mkfifo", join(folder, "dataset_D.csv")]);
  return folder;
}

/** Without output: the person has pressed Ctrl-C, or has started another demo. */
function clearStage(folder: string, env: Env): void {
  const { programWords } = require("../../orch/program.ts") as typeof import("../../orch/program.ts");
  Bun.spawnSync([...programWords(), "down", ...itsBus, "--json"], {
    cwd: folder,
    env: { ...(environmentIn(folder, env) as Record<string, string>), INBOX_PROGRAM: "inbox" },
  });
  removeTree(folder);
}

interface Seat {
  json: boolean;
  opener: string | undefined;
  env: Env;
}

async function play(steps: Steps, folder: string, { json, opener, env }: Seat): Promise<Output> {
  const paint = paintFor(json ? 2 : 1);
  steps.say("A bus and a hub in a temporary folder; the page shows what happens.");
  await steps.run("inbox", "init");
  const { answer: up } = await steps.ask("inbox", ["up", "--manager", "process"], ({ hub }) => [hub.url]);
  const { url } = up.hub;
  if (opener) openPage(opener, url, env);

  steps.say(
    "A profile says what a sub-agent is: here a shell script instead of a model. You approve what it may start.",
  );
  fs().writeFileSync(join(folder, ".agents/agents.toml"), profiles, { mode: 0o600 });
  await steps.ask("inbox", ["trust", "--yes"], ({ runs }) => [`approved: ${runs[0].command.join(" ")}`]);

  steps.say(
    "Scatter: four tasks for four sub-agents. The file of the last one never ends, so it gets a timeout.",
  );
  for (const name of names) {
    const limit = name === "d" ? ["timeout=3"] : [];
    await steps.run(
      "orch",
      "push",
      `name=${name}`,
      ...limit,
      `Compute the mean of dataset_${name.toUpperCase()}.csv`,
    );
  }
  await steps.run("orch", "run");

  steps.say("They work side by side. This is what they print, as it is printed.");
  await Promise.all(names.map((name, at) => follow(steps, name, colours(paint)[at]!)));

  steps.say("Gather: one message from each, however it ended.");
  const { answer } = await steps.ask("inbox", [
    "gather",
    "--from",
    names.join(","),
    "--timeout-seconds",
    "60",
  ]);
  const results = answer.messages.map(
    (each: { sender_id: string; message: string; metadata_json: string }) => {
      const { success = true, error } = JSON.parse(each.metadata_json);
      const mark = success ? paint.green("✓") : paint.red("✗");
      steps.note(
        `${mark} ${paint.bold(safe(each.sender_id))}  ${safe(success ? lastLine(each.message) : error)}`,
      );
      return { from: each.sender_id, success };
    },
  );

  steps.say("Ask: a question to the person is an entry on the page, with its answers as buttons.");
  const asked = [
    "ask",
    "user",
    "Three of four means are computed. Publish them?",
    "--choices",
    "Publish,Not yet",
  ];
  await steps.run("inbox", ...asked);
  return { url, results, answer: await answered(steps, url, paint, json) };
}

const colours = (paint: Paint) => [paint.cyan, paint.green, paint.yellow, paint.magenta];
const lastLine = (text: string) => text.trim().split("\n").at(-1)!;

function follow(steps: Steps, name: string, colour: (text: string) => string): Promise<void> {
  return steps.follow("orch", ["log", name, "--follow", "--json"], (line) => {
    try {
      const { kind, text } = JSON.parse(line);
      if (kind === "prompt" || kind === "final") return;
      for (const each of String(text).trimEnd().split("\n"))
        if (each) steps.note(`${colour(name)} │ ${safe(each)}`);
    } catch {
      // A line of another kind, such as an error.
    }
  });
}

/** Answered by the person, on the page; if there is no terminal, by the demo, with the equivalent command. */
async function answered(steps: Steps, url: string, paint: Paint, json: boolean): Promise<string | null> {
  if (!json && isAtTerminal()) {
    steps.say(`Press a button at ${url} (Ctrl-C ends the demo).`);
  } else {
    steps.say("Nobody is at a terminal, so the demo answers by itself, as the page would.");
    const asks = ({ choices }: { choices: unknown }) => choices;
    const { answer } = await steps.ask("inbox", ["entries", "list", "--unread"], ({ entries }) =>
      entries
        .filter(asks)
        .map((one: { id: string; choices: string[] }) => `${one.id}  choices ${one.choices.join(" | ")}`),
    );
    const entry = answer.entries.find(asks);
    await steps.run("inbox", "entries", "reply", entry.id, "--choice", "Publish");
  }
  const words = ["receive", "--from", "user", "--timeout-seconds", String(answerSeconds)];
  const { answer } = await steps.ask("inbox", words);
  const [mail] = answer.messages;
  if (!mail) return null;
  const { choice } = JSON.parse(mail.metadata_json);
  const said = choice ?? mail.message;
  steps.note(`${paint.green("✓")} ${paint.bold("user")}  ${safe(said)}`);
  steps.say("That was it. Everything it made is removed again; inbox quickstart sets up a bus of your own.");
  return said;
}
