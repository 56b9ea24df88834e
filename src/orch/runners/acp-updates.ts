/** What an ACP agent reports while it works, as a transcript. */
import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import { type Said, said } from "./output-collector.ts";
import type { Talk } from "./runner.ts";
import { toolNames, wordsOf } from "./tool-names.ts";

export interface Updates {
  said: Said;
  take(update: SessionUpdate): Promise<void>;
}

/** `others` gets the updates that are not part of a transcript. */
export function updatesTo(note: Talk["note"], others: (update: SessionUpdate) => void): Updates {
  const tools = toolNames(note);
  const speech = said(note);
  const ended = new Set<string>();

  async function take(update: SessionUpdate): Promise<void> {
    if (update.sessionUpdate === "agent_message_chunk") {
      // Nothing here was validated: an agent may send less than it should.
      if (update.content?.type === "text") await speech.add(wordsOf(update.content.text));
      else await note({ kind: "output", text: `(${update.content?.type ?? "nothing"})` });
    } else if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") {
      const { toolCallId, title, name, rawInput, rawOutput, status, content } = update;
      // Agents send updates of a call that has ended.
      if (ended.has(toolCallId)) return;
      if (!tools.open(toolCallId)) {
        await speech.pause();
        await tools.used(toolCallId, name || title || toolCallId, rawInput ?? contentText(content));
      }
      if (status !== "completed" && status !== "failed") return;
      ended.add(toolCallId);
      await tools.answered(toolCallId, contentText(content) || wordsOf(rawOutput) || status);
    } else others(update);
  }

  return { said: speech, take };
}

const contentText = (content: ToolCallContent[] | null | undefined) =>
  (content ?? [])
    .map((part) => {
      if (part.type === "diff") return part.path;
      if (part.type === "content")
        return part.content?.type === "text" ? wordsOf(part.content.text) : `(${part.content?.type})`;
      return `(${part.type})`;
    })
    .join("\n");
