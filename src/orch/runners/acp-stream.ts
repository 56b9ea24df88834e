/** An ACP conversation over the program's standard input and output. */
import type * as Acp from "@agentclientprotocol/sdk";
import type { Updates } from "./acp-updates.ts";
import { jsonLines } from "./json-lines.ts";
import type { Talk } from "./runner.ts";

type Reported = Partial<Acp.SessionNotification & Acp.RequestPermissionRequest>;

/**
 * The conversation as messages. Reports are written to the transcript in order: an agent that is faster than the
 * transcript has to wait, and the turn is not over before everything is written.
 */
export function streamOf(talk: Talk, updates: Updates, listening: { on: boolean }): Acp.Stream {
  const lines = jsonLines(talk.stdout);
  return {
    readable: new ReadableStream<Acp.AnyMessage>(
      {
        async pull(controller) {
          for (;;) {
            const { value: line, done } = await lines.next();
            if (done) return controller.close();
            if ("text" in line) await talk.note({ kind: "output", text: line.text });
            else {
              const { update, toolCall } = (line.event.params ?? {}) as Reported;
              if (listening.on && update) await updates.take(update);
              // Some agents mention a tool call for the first time when they ask for permission.
              if (toolCall) await updates.take({ ...toolCall, sessionUpdate: "tool_call_update" });
              if (line.event.method !== "session/update")
                return controller.enqueue(line.event as unknown as Acp.AnyMessage);
            }
          }
        },
      },
      { highWaterMark: 0 },
    ),
    writable: new WritableStream<Acp.AnyMessage>({
      // A program that takes no more input is about to end: its output has the reason.
      write: (message) => talk.write(`${JSON.stringify(message)}\n`).catch(() => {}),
    }),
  };
}
