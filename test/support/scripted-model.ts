/**
 * A model that says what a test has written down, so that real agent programs can be run: the Messages API as far as they
 * use it, on loopback. A script is a function from the conversation so far to what the model says next.
 */
import { scriptedServer } from "./scripted-server.ts";
export type Said = { type: "text"; text: string } | { type: "tool_use"; name: string; input: object };

/** What the model was told in one request, without the envelope. */
export interface Conversation {
  /** The key the program was given: one server can play several models. */
  key: string;
  model: string;
  system: string;
  /** The tools it may use. A program also asks small things of its own (a title, say): those come without tools. */
  tools: string[];
  /** All that the user's side said, in order: the prompt, and what hooks and reminders added. */
  user: string[];
  /** The model's own words and calls. */
  said: Said[];
  /** What the tools answered, in the order of the calls. */
  results: { tool: string; text: string; failed: boolean }[];
}

export type Script = (conversation: Conversation) => Said[] | string | Promise<Said[] | string>;

export interface ScriptedModel {
  url: string;
  /** Every request with tools, as it was understood. */
  heard: Conversation[];
  [Symbol.asyncDispose](): Promise<void>;
}

interface Block {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  input?: object;
  tool_use_id?: string;
  content?: string | Block[];
  is_error?: boolean;
}

interface Asked {
  model: string;
  stream?: boolean;
  system?: string | Block[];
  tools?: { name: string }[];
  messages: { role: string; content: string | Block[] }[];
}

export function scriptedModel(script: Script): ScriptedModel {
  return scriptedServer(async (request, heard) => {
    const { pathname } = new URL(request.url);
    if (request.method !== "POST") return new Response(null);
    if (pathname === "/v1/messages/count_tokens") return Response.json({ input_tokens: 1 });
    if (pathname !== "/v1/messages")
      return Response.json({ error: { type: "not_found_error" } }, { status: 404 });
    const body = (await request.json()) as Asked;
    const conversation = conversationIn(body, keyOf(request));
    if (conversation.tools.length) heard.push(conversation);
    const said = await script(conversation);
    const blocks = (typeof said === "string" ? [{ type: "text" as const, text: said }] : said).map(withId);
    return body.stream ? streamed(body.model, blocks) : Response.json(message(body.model, blocks));
  });
}

const keyOf = ({ headers }: Request) =>
  headers.get("x-api-key") ?? headers.get("authorization")?.replace(/^Bearer /, "") ?? "";

function conversationIn({ model, system, tools, messages }: Asked, key: string): Conversation {
  const conversation: Conversation = {
    key,
    model,
    system: textIn(system),
    tools: (tools ?? []).map(({ name }) => name),
    user: [],
    said: [],
    results: [],
  };
  const called = new Map<string, string>();
  for (const { role, content } of messages)
    for (const block of typeof content === "string" ? [{ type: "text", text: content }] : content) {
      if (block.type === "tool_result")
        conversation.results.push({
          tool: called.get(block.tool_use_id!) ?? "",
          text: textIn(block.content),
          failed: block.is_error === true,
        });
      else if (block.type === "tool_use") {
        called.set(block.id!, block.name!);
        conversation.said.push({ type: "tool_use", name: block.name!, input: block.input! });
      } else if (block.type === "text" && role === "user") conversation.user.push(block.text!);
      // What the program says in between, such as the words of a hook.
      else if (block.type === "text" && role === "system") conversation.system += `\n${block.text}`;
      else if (block.type === "text") conversation.said.push({ type: "text", text: block.text! });
    }
  return conversation;
}

const textIn = (content: string | Block[] = ""): string =>
  typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("\n");

const withId = (said: Said) =>
  said.type === "text" ? said : { ...said, id: `toolu_${crypto.randomUUID().replaceAll("-", "")}` };
type Spoken = ReturnType<typeof withId>;

const usage = { input_tokens: 1, output_tokens: 1 };
const stopReason = (blocks: Spoken[]) =>
  blocks.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";

const message = (model: string, content: Spoken[]) => ({
  id: `msg_${crypto.randomUUID().replaceAll("-", "")}`,
  type: "message",
  role: "assistant",
  model,
  content,
  stop_reason: stopReason(content),
  stop_sequence: null,
  usage,
});

function streamed(model: string, blocks: Spoken[]): Response {
  const events: { type: string; [key: string]: unknown }[] = [
    { type: "message_start", message: { ...message(model, []), stop_reason: null } },
  ];
  for (const [index, block] of blocks.entries()) {
    const [start, delta] =
      block.type === "text"
        ? [
            { type: "text", text: "" },
            { type: "text_delta", text: block.text },
          ]
        : [
            { ...block, input: {} },
            { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
          ];
    events.push({ type: "content_block_start", index, content_block: start });
    events.push({ type: "content_block_delta", index, delta });
    events.push({ type: "content_block_stop", index });
  }
  events.push({
    type: "message_delta",
    delta: { stop_reason: stopReason(blocks), stop_sequence: null },
    usage,
  });
  events.push({ type: "message_stop" });
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
