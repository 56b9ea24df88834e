/** The official MCP client, over standard input and output or over HTTP. A connection that has ended is made anew. */
import { overHttp, overStdio, revisions, type Visitor } from "../../support/mcp.ts";
import type { Fields } from "../check/history.ts";
import { camelCase } from "./camel-case.ts";
import { brokenOf } from "./refusals.ts";
import type { Client, ClientOptions, Told } from "./surfaces.ts";

/** The tool of an operation, and those of its arguments that are not its fields in snake_case. */
const tools: Record<string, [string, Record<string, string>?]> = {
  "mailbox.send": ["send_message", { to: "receiver_id" }],
  "mailbox.receive": ["receive", { timeoutSeconds: "timeout" }],
  "mailbox.check": ["check"],
  "mailbox.wait": ["check_inbox", { timeoutSeconds: "timeout" }],
  "mailbox.gather": ["gather", { timeoutSeconds: "timeout" }],
  "messages.send": ["msg_send"],
  "messages.inbox": ["msg_inbox"],
  "messages.ack": ["msg_ack"],
  "threads.send": ["send_task"],
  "threads.claim": ["claim"],
  "threads.renew": ["renew"],
  "threads.update": ["update"],
  "threads.done": ["done"],
  "threads.fail": ["fail"],
  "threads.release": ["release"],
  "events.watch": ["watch"],
  "pools.join": ["pool_join"],
};

/** Longer than any wait of the workload, and than a hub that is stopped for a while. */
const patienceMs = 20_000;

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function mcpSurface({ place, random, started }: ClientOptions, overHub: boolean): Client {
  let visitor: Promise<Visitor> | undefined;
  const connect = async () => {
    const revision = revisions[Math.floor(random() * revisions.length)]!;
    const hub = place.hubs[Math.floor(random() * place.hubs.length)]!;
    if (overHub) return overHttp(`${hub}/mcp`, revision);
    const at = random() < 0.5 ? place.db : hub;
    const made = await overStdio(at, revision);
    const { pid } = made.client.transport as { pid?: number | null };
    if (pid) started?.(() => void (made.client.transport && process.kill(pid, "SIGKILL")));
    return made;
  };
  const hangUp = async () => {
    const old = visitor;
    visitor = undefined;
    await old?.then((it) => it[Symbol.asyncDispose]()).catch(() => {});
  };
  return {
    full: false,
    async call(op, input) {
      try {
        visitor ??= connect();
        const opened = await visitor.catch((error) => {
          visitor = undefined;
          throw Object.assign(new Error(String(error)), { code: "ECONNREFUSED" });
        });
        const [tool, names = {}] = tools[op]!;
        const channel = tool.startsWith("msg_");
        const args = Object.fromEntries(
          Object.entries(input).map(([key, value]) => [names[key] ?? (channel ? key : snake(key)), value]),
        );
        const { text, fields, failed } = await opened.call(tool, args, AbortSignal.timeout(patienceMs));
        return failed ? refused(text) : { outcome: "ok", value: answer(op, fields) };
      } catch (error) {
        await hangUp();
        return brokenOf(error);
      }
    },
    close: hangUp,
  };
}

function answer(op: string, fields: Fields): Fields {
  return op.startsWith("messages.") ? fields : camelCase(fields);
}

/** A model is told in words. */
function refused(text: string): Told {
  const code = /^(\w+):/.exec(text)?.[1] ?? "refused";
  const unknown = /not known|cannot be reached|no answer/.test(text) && !/nothing was written/.test(text);
  return { outcome: unknown ? "unknown" : "refused", code, value: { error: text } };
}
