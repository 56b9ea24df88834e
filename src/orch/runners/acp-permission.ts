/** What an ACP agent is answered that asks whether it may. */
import type * as Acp from "@agentclientprotocol/sdk";
import type { RunnerSettings } from "../profile.ts";
import type { Talk } from "./runner.ts";

/** Our own tools may always be used: without them a sub-agent could not even say what it lacks. */
const ours = /^(mcp__inbox__\w+|\w+ \(inbox MCP Server\))$/;

export async function answer(
  { permission }: RunnerSettings,
  talk: Talk,
  { toolCall, options }: Acp.RequestPermissionRequest,
): Promise<Acp.RequestPermissionResponse> {
  const what = toolCall.name || toolCall.title || toolCall.toolCallId;
  const allowed =
    permission === "allow" || [toolCall.name, toolCall.title].some((name) => name && ours.test(name));
  const kinds = allowed ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  const option = kinds.map((kind) => options.find((one) => one.kind === kind)).find(Boolean);
  if (!allowed)
    await talk.note({ kind: "notice", text: `refused what it asked for, as permission = "reject": ${what}` });
  if (!option || talk.signal.aborted) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: option.optionId } };
}
