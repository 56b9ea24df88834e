/** The compiled program, one process for each call, on the database itself or at a hub. */
import { bareEnvironment, orch, program } from "../../support/cli.ts";
import type { Fields } from "../check/history.ts";
import { camelCase } from "./camel-case.ts";
import { refusalOf } from "./refusals.ts";
import type { Client, ClientOptions, Told } from "./surfaces.ts";

const flags = (input: Fields, names: Record<string, string>): string[] =>
  Object.entries(names).flatMap(([field, flag]) => {
    const value = input[field];
    if (value === undefined || value === false) return [];
    return value === true ? [flag] : [flag, Array.isArray(value) ? value.join(",") : String(value)];
  });

const wait = { timeoutSeconds: "--timeout-seconds", max: "--max", ack: "--ack", lifo: "--lifo" };
const mail = { agent: "--agent", visibilitySeconds: "--visibility-seconds", ...wait };
const held = { agent: "--agent", thread: "--thread", leaseToken: "--lease-token" };
const told = { ...held, summary: "--summary" };

/** The command of an operation, and the flags of its fields. */
const commands: Record<string, [string[], Record<string, string>]> = {
  "mailbox.send": [["send"], { from: "--from", to: "--to", message: "--message" }],
  "mailbox.receive": [["receive"], mail],
  "mailbox.check": [["check"], mail],
  "mailbox.wait": [["wait"], { ...mail, batchWindow: "--batch-window" }],
  "mailbox.gather": [["gather"], { ...mail, from: "--from", need: "--need" }],
  "messages.send": [["msg", "send"], { channel: "--channel", content: "--content", sender: "--sender" }],
  "messages.inbox": [
    ["msg", "inbox"],
    {
      channel: "--channel",
      afterId: "--after",
      limit: "--limit",
      includeAcked: "--include-acked",
      reader: "--reader",
      commit: "--commit",
    },
  ],
  "messages.ack": [["msg", "ack"], { id: "--id", agent: "--agent" }],
  "threads.send": [
    ["send"],
    { from: "--from", to: "--to", subject: "--subject", summary: "--summary", maxAttempts: "--max-attempts" },
  ],
  "threads.claim": [["claim"], { ...held, leaseSeconds: "--lease-seconds" }],
  "threads.renew": [["renew"], { ...held, leaseSeconds: "--lease-seconds" }],
  "threads.update": [["update"], { ...told, status: "--status" }],
  "threads.done": [["done"], told],
  "threads.fail": [["fail"], told],
  "threads.release": [["release"], held],
  "events.watch": [
    ["watch"],
    { afterEvent: "--after-event", limit: "--limit", timeoutSeconds: "--timeout-seconds" },
  ],
  "tasks.push": [["push"], { agent: "--agent", name: "--name", prompt: "--prompt", timeout: "--timeout" }],
  "tasks.run": [["run"], { agent: "--agent" }],
  "pools.join": [["pool", "join"], { pool: "--pool", agent: "--agent" }],
};

export function cliSurface({ place, random, started }: ClientOptions, atHub: boolean): Client {
  return {
    full: true,
    async call(op, input, key) {
      const [words, names] = commands[op]!;
      const db = atHub ? place.hubs[Math.floor(random() * place.hubs.length)]! : place.db;
      const more = key === undefined ? [] : ["--idempotency-key", key];
      const delivery = atHub || place.delivery === undefined ? [] : ["--delivery", place.delivery];
      const args = [...words, ...flags(input, names), ...more, "--db", db, ...delivery, "--json"];
      const child = Bun.spawn([op.startsWith("tasks.") ? orch : program, ...args], {
        cwd: "/",
        env: bareEnvironment({ INBOX_PROFILES: place.profiles }),
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      started?.(() => child.kill("SIGKILL"));
      const [code, output, complaints] = await Promise.all([
        child.exited,
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      return answerOf(op, { code, output, complaints });
    },
    close: async () => {},
  };
}

/** [C3] 10: nothing was there, which is an answer. */
const answered = [0, 10];

function answerOf(
  op: string,
  { code, output, complaints }: { code: number; output: string; complaints: string },
): Told {
  // What is not ended by a line feed was not printed to the end.
  const line = output.includes("\n") ? JSON.parse(output) : undefined;
  if (line === undefined) return { outcome: "unknown", code: `exit ${code}`, value: { error: complaints } };
  if (line.ok === false) return refusalOf(line.error);
  const value = op.startsWith("messages.") ? channelAnswer(op, line) : camelCase(line);
  return answered.includes(code)
    ? { outcome: "ok", value }
    : { outcome: "unknown", code: `exit ${code}`, value };
}

/** `inbox msg` prints the thing itself. */
function channelAnswer(op: string, line: Fields): Fields {
  if (op === "messages.inbox") return { messages: line };
  if (op === "messages.ack") {
    const { already, ...message } = line;
    return { message, already };
  }
  return line;
}
