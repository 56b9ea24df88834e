/** The scripted model for programs that speak the Gemini API: the same scripts, the same conversations. */
import type { Conversation, Said, Script, ScriptedModel } from "./scripted-model.ts";
import { scriptedServer } from "./scripted-server.ts";

interface Part {
  text?: string;
  thought?: boolean;
  functionCall?: { id?: string; name: string; args?: object };
  functionResponse?: { id?: string; name: string; response?: Record<string, unknown> };
}

interface Asked {
  contents: { role?: string; parts: Part[] }[];
  systemInstruction?: { parts: Part[] };
  tools?: { functionDeclarations?: { name: string }[] }[];
}

export function scriptedGemini(script: Script): ScriptedModel {
  return scriptedServer(async (request, heard) => {
    const [, model, method] = /models\/([^:]+):(\w+)/.exec(new URL(request.url).pathname) ?? [];
    if (!model || request.method !== "POST") return Response.json({}, { status: 404 });
    if (method === "countTokens") return Response.json({ totalTokens: 1 });
    const asked = (await request.json()) as Asked;
    const conversation = conversationIn(asked, model, request.headers.get("x-goog-api-key") ?? "");
    if (conversation.tools.length) heard.push(conversation);
    const said = await script(conversation);
    const answer = answerOf(typeof said === "string" ? [{ type: "text", text: said }] : said);
    if (method !== "streamGenerateContent") return Response.json(answer);
    return new Response(`data: ${JSON.stringify(answer)}\n\n`, {
      headers: { "content-type": "text/event-stream" },
    });
  });
}

function conversationIn({ contents, systemInstruction, tools = [] }: Asked, model: string, key: string) {
  const conversation: Conversation = {
    key,
    model,
    system: (systemInstruction?.parts ?? []).map(({ text }) => text ?? "").join("\n"),
    tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
    user: [],
    said: [],
    results: [],
  };
  for (const { role, parts } of contents)
    for (const { text, thought, functionCall, functionResponse } of parts) {
      if (functionCall)
        conversation.said.push({ type: "tool_use", name: functionCall.name, input: functionCall.args ?? {} });
      else if (functionResponse) {
        const { output, error } = functionResponse.response ?? {};
        conversation.results.push({
          tool: functionResponse.name,
          text: String(output ?? error ?? ""),
          failed: error !== undefined,
        });
      } else if (text !== undefined && !thought) {
        if (role === "model") conversation.said.push({ type: "text", text });
        else conversation.user.push(text);
      }
    }
  return conversation;
}

const answerOf = (said: readonly Said[]) => ({
  candidates: [
    {
      index: 0,
      finishReason: "STOP",
      content: {
        role: "model",
        parts: said.map((one) =>
          one.type === "text" ? { text: one.text } : { functionCall: { name: one.name, args: one.input } },
        ),
      },
    },
  ],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
});
