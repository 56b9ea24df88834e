/** [Q15] The answer to an ACP agent that asks for a permission. */
import { isAbsolute, relative, resolve } from "node:path";
import type * as Acp from "@agentclientprotocol/sdk";
import { linesOf } from "../../contract/safe-text.ts";
import type { Job, Talk } from "./runner.ts";

/** Our own tools are always allowed: without them a sub-agent could not even report what it lacks. */
const ours = /^(mcp__inbox__\w+|\w+ \(inbox MCP Server\))$/;

export async function answer(
  job: Pick<Job, "permission" | "cwd" | "ask">,
  talk: Talk,
  { toolCall, options }: Acp.RequestPermissionRequest,
  refused: Set<string>,
): Promise<Acp.RequestPermissionResponse> {
  const { permission } = job;
  const what = toolCall.name || toolCall.title || toolCall.toolCallId;
  let allowed =
    permission === "allow" ||
    [toolCall.name, toolCall.title].some((name) => name && ours.test(name)) ||
    (permission === "edit" && editsWithin(job.cwd, toolCall));
  let why = `as permission = "${permission}"`;
  if (!allowed && permission === "ask" && job.ask) {
    const verdict = await job.ask({
      tool: what,
      input: toolCall.rawInput,
      diff: diffIn(toolCall),
      ...(toolCall.kind === "execute" && { runs: toolCall.title ?? what }),
      paths: pathsIn(toolCall),
    });
    allowed = verdict.allowed;
    if (verdict.why !== undefined) why = verdict.why;
  }
  const kinds = allowed ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  const option = kinds.map((kind) => options.find((one) => one.kind === kind)).find(Boolean);
  if (!allowed) {
    refused.add(what);
    await talk.note({
      kind: "notice",
      text: `refused what it asked for, ${why}: ${what}`,
    });
  }
  if (!option || talk.signal.aborted) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: option.optionId } };
}

/** What it would change, as far as it says. */
function diffIn({ content }: Acp.ToolCallUpdate): string | undefined {
  const diffs = (content ?? []).flatMap((part) =>
    part.type === "diff" ? [`${part.path}\n${marked(part.oldText, "- ")}${marked(part.newText, "+ ")}`] : [],
  );
  return diffs.length ? diffs.join("\n") : undefined;
}

const marked = (text: string | null | undefined, mark: string) =>
  text
    ? `${linesOf(text.replace(/\n$/, ""))
        .map((line) => `${mark}${line}\n`)
        .join("")}`
    : "";

/** It changes files, names them, and all of them are in its folder. */
function editsWithin(cwd: string, toolCall: Acp.ToolCallUpdate): boolean {
  const { kind } = toolCall;
  if (kind !== "edit" && kind !== "move" && kind !== "delete") return false;
  const paths = pathsIn(toolCall);
  return paths.length > 0 && paths.every((path) => isWithin(cwd, path));
}

const pathsIn = ({ locations, content }: Acp.ToolCallUpdate): string[] => [
  ...(locations ?? []).map(({ path }) => path),
  ...(content ?? []).flatMap((part) => (part.type === "diff" ? [part.path] : [])),
];

export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, resolve(folder, path));
  return way !== "" && way !== ".." && !way.startsWith("../") && !isAbsolute(way);
}
