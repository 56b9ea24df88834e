/** [Q15] What an ACP agent is answered that asks whether it may. */
import { isAbsolute, relative, resolve } from "node:path";
import type * as Acp from "@agentclientprotocol/sdk";
import type { Job, Talk } from "./runner.ts";

/** Our own tools may always be used: without them a sub-agent could not even say what it lacks. */
const ours = /^(mcp__inbox__\w+|\w+ \(inbox MCP Server\))$/;

export async function answer(
  job: Pick<Job, "permission" | "cwd">,
  talk: Talk,
  { toolCall, options }: Acp.RequestPermissionRequest,
  refused: Set<string>,
): Promise<Acp.RequestPermissionResponse> {
  const { permission } = job;
  const what = toolCall.name || toolCall.title || toolCall.toolCallId;
  const allowed =
    permission === "allow" ||
    [toolCall.name, toolCall.title].some((name) => name && ours.test(name)) ||
    (permission === "edit" && editsWithin(job.cwd, toolCall));
  const kinds = allowed ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  const option = kinds.map((kind) => options.find((one) => one.kind === kind)).find(Boolean);
  if (!allowed) {
    refused.add(what);
    await talk.note({
      kind: "notice",
      text: `refused what it asked for, as permission = "${permission}": ${what}`,
    });
  }
  if (!option || talk.signal.aborted) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: option.optionId } };
}

/** It changes files, says which, and all of them lie in its folder. */
function editsWithin(cwd: string, { kind, locations, content }: Acp.ToolCallUpdate): boolean {
  if (kind !== "edit" && kind !== "move" && kind !== "delete") return false;
  const paths = [
    ...(locations ?? []).map(({ path }) => path),
    ...(content ?? []).flatMap((part) => (part.type === "diff" ? [part.path] : [])),
  ];
  return paths.length > 0 && paths.every((path) => isWithin(cwd, path));
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, resolve(folder, path));
  return way !== "" && way !== ".." && !way.startsWith("../") && !isAbsolute(way);
}
