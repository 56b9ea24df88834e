/** The scripted model for programs that speak the Responses API: the same scripts, the same conversations. */
import type { Conversation, Said, Script, ScriptedModel } from "./scripted-model.ts";
import { scriptedServer } from "./scripted-server.ts";

interface Part {
  type: string;
  text?: string;
}

interface Item {
  type?: string;
  role?: string;
  content?: string | Part[];
  call_id?: string;
  namespace?: string;
  name?: string;
  arguments?: string;
  output?: string | Part[];
}

interface Tool {
  type: string;
  name?: string;
  tools?: Tool[];
}

interface Asked {
  model: string;
  instructions?: string;
  tools?: Tool[];
  input: string | Item[];
}

export function scriptedOpenai(script: Script): ScriptedModel {
  const server = scriptedServer(async (request, heard) => {
    if (request.method !== "POST" || !new URL(request.url).pathname.endsWith("/responses"))
      return Response.json({ error: { message: "not here" } }, { status: 404 });
    const asked = (await request.json()) as Asked;
    const key = request.headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
    const conversation = conversationIn(asked, key);
    heard.push(conversation);
    const said = await script(conversation);
    return streamed(asked, typeof said === "string" ? [{ type: "text", text: said }] : said);
  });
  return { ...server, url: `${server.url}/v1` };
}

/** Tools of a server may come in a group of their own, and are then called by both names. */
const toolNames = (tools: readonly Tool[], group = ""): string[] =>
  tools.flatMap(({ name = "", tools: inner }) => (inner ? toolNames(inner, name) : [`${group}${name}`]));

function conversationIn({ model, instructions = "", tools = [], input }: Asked, key: string): Conversation {
  const conversation: Conversation = {
    key,
    model,
    system: instructions,
    tools: toolNames(tools),
    user: [],
    said: [],
    results: [],
  };
  const called = new Map<string, string>();
  for (const item of typeof input === "string" ? [{ role: "user", content: input } as Item] : input) {
    const text = textIn(item.content);
    if (item.type === "function_call") {
      const name = `${item.namespace ?? ""}${item.name}`;
      called.set(item.call_id!, name);
      conversation.said.push({ type: "tool_use", name, input: JSON.parse(item.arguments ?? "{}") });
    } else if (item.type === "function_call_output")
      conversation.results.push({
        tool: called.get(item.call_id!) ?? "",
        text: textIn(item.output),
        failed: false,
      });
    else if (item.role === "user") conversation.user.push(text);
    else if (item.role === "developer") conversation.system += `\n${text}`;
    else if (item.role === "assistant") conversation.said.push({ type: "text", text });
  }
  return conversation;
}

const textIn = (content: string | Part[] = ""): string =>
  typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("\n");

/** The group of a tool and its name there, as the program itself lists them. */
function placed(tools: readonly Tool[], wanted: string): { name: string; namespace?: string } {
  for (const { name = "", tools: inner } of tools)
    if (inner?.some((tool) => `${name}${tool.name}` === wanted))
      return { namespace: name, name: wanted.slice(name.length) };
  return { name: wanted };
}

function streamed({ tools = [] }: Asked, said: readonly Said[]): Response {
  const id = `resp_${crypto.randomUUID()}`;
  const items = said.map((one, index) =>
    one.type === "text"
      ? {
          type: "message",
          id: `${id}_${index}`,
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: one.text, annotations: [] }],
        }
      : {
          type: "function_call",
          id: `${id}_${index}`,
          call_id: `call_${crypto.randomUUID()}`,
          ...placed(tools, one.name),
          arguments: JSON.stringify(one.input),
          status: "completed",
        },
  );
  const usage = {
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 2,
  };
  const events = [
    { type: "response.created", response: { id } },
    ...items.flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item },
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: "response.completed", response: { id, usage, output: items } },
  ];
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
