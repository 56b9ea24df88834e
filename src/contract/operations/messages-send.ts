import * as v from "valibot";
import { channelMessage, content, copies, correlationId, metadata, ttlSeconds } from "../channel-message.ts";
import { address, name } from "../fields.ts";
import { operation } from "../operation.ts";
import { recipient, strict } from "../recipient.ts";

export const messagesSend = operation("messages.send", "msg send", () => ({
  kind: "write",
  access: { on: "own" },
  summary: "Append a message to a channel",
  detail:
    "A channel is the name of an agent, a pool or a topic. Each member of a pool gets a copy; with * every known agent gets one.",
  input: () =>
    v.strictObject({
      channel: address("the channel: an agent, a pool, a topic, or * for all known agents", "CHANNEL"),
      content: content(),
      sender: name("who sends (default: cli)", "NAME"),
      taskId: v.optional(name("the task it is about", "ID", "task")),
      ttlSeconds: ttlSeconds(),
      correlationId: correlationId("links a request and its replies"),
      metadata: metadata(),
      strict: strict(),
    }),
  output: () => v.strictObject({ ...channelMessage().entries, recipient: recipient(), copies: copies() }),
  errors: ["invalid_input", "too_large", "not_found", "conflict"],
  cli: {
    plain: ["channel", "content"],
    identity: "sender",
    identityDefault: "cli",
    shape: "channel",
  },
  creates: true,
  http: ["POST /api/messages"],
  mcp: {
    tool: "msg_send",
    set: "messages",
    use: "Append a message to a channel that many may read. To one agent use send_message.",
    without: ["strict"],
  },
  examples: [
    'inbox msg send agent-1 "Task tx-abc123 is ready for review"',
    `inbox msg send builds "Deploy v2.3.1 complete" --agent ci --ttl 3600 --metadata '{"version":"2.3.1"}'`,
  ],
}));
