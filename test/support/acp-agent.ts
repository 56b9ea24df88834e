/**
 * A small agent that speaks ACP on standard input and output, by the official SDK. A prompt that is a JSON array of steps
 * is done step by step; any other is said back, or answered by the steps in ACP_ALWAYS. ACP_WAYS (JSON) says which optional
 * parts of the protocol it has.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

interface Change {
  path: string;
  oldText: string;
  newText: string;
}

export type Step =
  | { say: string }
  | { think: string }
  /** Bits that together make a long message. */
  | { many: number; of: string }
  /** By the MCP server that the session was given. */
  | { use: string; input: Record<string, unknown> }
  /** Says what the session has cost so far, and with the answer what it has used. */
  | { cost: number; currency?: string }
  | { usage: Record<string, number> }
  | { quota: Record<string, number> }
  | { ask: string; name?: string; kind?: acp.ToolKind; path?: string; input?: unknown; change?: Change }
  | { print: string }
  | { report: "client" | "environment" }
  | { wait: "cancel" }
  | { stop: acp.StopReason }
  | { crash: number };

export interface Ways {
  load?: boolean;
  resume?: boolean;
  models?: string[];
  login?: boolean;
  /** Goes on living when its input ends. */
  lingers?: boolean;
}

const ways = JSON.parse(process.env.ACP_WAYS ?? "{}") as Ways;
const memory = `${process.cwd()}/memory.json`;
let capabilities: acp.ClientCapabilities | undefined;
let servers: acp.McpServerStdio[] = [];
let cancelled = Promise.withResolvers<void>();
let model = "none";

const configOptions = (): acp.SessionConfigOption[] | undefined =>
  ways.models && [
    {
      id: "which",
      name: "Model",
      category: "model",
      type: "select",
      currentValue: model,
      options: ways.models.map((value) => ({ value, name: value })),
    },
  ];

const open = ({ mcpServers }: { mcpServers?: acp.McpServer[] }) => {
  servers = (mcpServers ?? []).filter((server): server is acp.McpServerStdio => "command" in server);
};

/** Not by `Bun.file`: it remembers the size that `exists` saw, and reads no more than that of a file that is longer by now. */
const recalled = (): string[] => (existsSync(memory) ? JSON.parse(readFileSync(memory, "utf8")) : []);

/** Several of them may work in one folder: none may read what another has half written. */
function remember(text: string): void {
  const written = `${memory}.${process.pid}`;
  writeFileSync(written, JSON.stringify([...recalled(), text]));
  renameSync(written, memory);
}

async function call(name: string, input: Record<string, unknown>): Promise<string> {
  const { command, args, env } = servers[0]!;
  const client = new Client({ name: "acp-agent", version: "1" });
  const given = Object.fromEntries(env.map((one) => [one.name, one.value]));
  await client.connect(
    new StdioClientTransport({ command, args, env: { PATH: process.env.PATH!, ...given } }),
  );
  const { content } = await client.callTool({ name, arguments: input });
  await client.close();
  return (content as { text: string }[])[0]!.text;
}

async function prompted(client: acp.AgentContext, { sessionId, prompt }: acp.PromptRequest) {
  const tell = (update: acp.SessionUpdate) =>
    client.notify(acp.methods.client.session.update, { sessionId, update });
  const say = (text: string) =>
    tell({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  const text = prompt.map((block) => (block.type === "text" ? block.text : "")).join("");
  remember(text);
  const steps = text.startsWith("[") ? text : process.env.ACP_ALWAYS;
  if (steps === undefined) {
    await say(`${model}: ${text}`);
    return { stopReason: "end_turn" as const };
  }
  let answer: Pick<acp.PromptResponse, "_meta"> & { usage?: object } = {};
  for (const [index, step] of (JSON.parse(steps) as Step[]).entries()) {
    const toolCallId = `call-${index}`;
    if ("say" in step) for (const bit of step.say.match(/.{1,3}/gsu) ?? []) await say(bit);
    else if ("think" in step)
      await tell({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: step.think } });
    else if ("many" in step) for (let count = 0; count < step.many; count++) await say(step.of);
    else if ("cost" in step)
      await tell({
        sessionUpdate: "usage_update",
        used: 5000,
        size: 200_000,
        cost: { amount: step.cost, currency: step.currency ?? "USD" },
      });
    else if ("usage" in step) answer = { ...answer, usage: step.usage };
    else if ("quota" in step) answer = { ...answer, _meta: { quota: { token_count: step.quota } } };
    else if ("print" in step) process.stdout.write(`${step.print}\n`);
    else if ("crash" in step) process.exit(step.crash);
    else if ("stop" in step) return { stopReason: step.stop };
    else if ("report" in step) {
      const { INBOX_AGENT, CORNER } = process.env;
      await say(JSON.stringify(step.report === "client" ? capabilities : { INBOX_AGENT, CORNER }));
    } else if ("wait" in step) {
      await say("waiting\n");
      await cancelled.promise;
      return { stopReason: "cancelled" as const };
    } else if ("use" in step) {
      await tell({ sessionUpdate: "tool_call", toolCallId, title: step.use, rawInput: step.input });
      await tell({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
      const content = { type: "text" as const, text: await call(step.use, step.input) };
      await tell({
        sessionUpdate: "tool_call_update",
        toolCallId,
        status: "completed",
        content: [{ type: "content", content }],
      });
    } else {
      const { outcome } = await client.request(acp.methods.client.session.requestPermission, {
        sessionId,
        toolCall: {
          toolCallId,
          title: step.ask,
          name: step.name,
          rawInput: step.input ?? { force: true },
          ...(step.change && { content: [{ type: "diff", ...step.change }] }),
          ...(step.kind && { kind: step.kind }),
          ...(step.path && { locations: [{ path: step.path }] }),
        },
        options: [
          { optionId: "1", name: "Always", kind: "allow_always" },
          { optionId: "2", name: "Yes", kind: "allow_once" },
          { optionId: "3", name: "No", kind: "reject_once" },
        ],
      });
      const rawOutput = outcome.outcome === "selected" ? outcome.optionId : outcome.outcome;
      await tell({ sessionUpdate: "tool_call_update", toolCallId, status: "completed", rawOutput });
    }
  }
  return { stopReason: "end_turn" as const, ...answer };
}

const { session } = acp.methods.agent;
acp
  .agent({ name: "acp-agent" })
  .onRequest(acp.methods.agent.initialize, ({ params }) => {
    capabilities = params.clientCapabilities;
    return {
      protocolVersion: acp.PROTOCOL_VERSION,
      agentCapabilities: {
        loadSession: ways.load === true,
        sessionCapabilities: ways.resume ? { resume: {} } : {},
      },
    };
  })
  .onRequest(session.new, ({ params }) => {
    if (ways.login) throw acp.RequestError.authRequired();
    open(params);
    return { sessionId: "s-1", configOptions: configOptions() };
  })
  .onRequest(session.load, async ({ params, client }) => {
    open(params);
    for (const text of recalled())
      await client.notify(acp.methods.client.session.update, {
        sessionId: params.sessionId,
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: `replayed ${text}` } },
      });
    return { configOptions: configOptions() };
  })
  .onRequest(session.resume, ({ params }) => {
    open(params);
    return { configOptions: configOptions() };
  })
  .onRequest(session.setConfigOption, ({ params }) => {
    if (typeof params.value === "string") model = params.value;
    return { configOptions: configOptions()! };
  })
  .onRequest(session.prompt, ({ params, client }) => {
    cancelled = Promise.withResolvers();
    return prompted(client, params);
  })
  .onNotification(session.cancel, () => cancelled.resolve())
  .connect(
    acp.ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  )
  .closed.then(() => {
    if (!ways.lingers) process.exit(0);
  });
if (ways.lingers) setInterval(() => {}, 60_000);
