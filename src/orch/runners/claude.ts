/** [Q8] Claude Code in print mode, with its events as JSON. */
import { basename, join } from "node:path";
import newMail from "../../../plugin/hooks/new-mail.sh" with { type: "text" };
import { shellWord } from "../../contract/shell-word.ts";
import type { RunnerSettings } from "../profiles/profile.ts";
import { claudeUsage } from "./claude-usage.ts";
import { jsonLines } from "./json-lines.ts";
import type { Job, Launch, Outcome, Runner, Talk } from "./runner.ts";
import { filled } from "./template.ts";
import { type ToolNames, textIn, toolNames, wordsOf } from "./tool-names.ts";

type Event = Record<string, unknown>;
interface Block {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  input?: unknown;
  tool_use_id?: string;
  content?: unknown;
}

const mailHook = "new-mail.sh";

export function claudeRunner(settings: RunnerSettings): Runner {
  function launch(job: Job): Launch {
    const { command, args, env } = job.mcp;
    // By reference: the values may be secret, and arguments are visible to everybody.
    const handed = Object.fromEntries(Object.keys(env).map((name) => [name, `\${${name}}`]));
    // The user's own servers stay: a sub-agent has every tool its parent has. Our server replaces theirs of the same
    // name, and has
    // the same command as the plugin's (ours is first on the path): Claude Code then leaves out the duplicate.
    const server = { type: "stdio", command: basename(command), args, env: handed };
    // [A8] A separate server for the one tool that asks, so that the model's list of tools does not get longer.
    const asking = { ...server, args: [...args, "--tools", "permission"] };
    const asks = job.permission === "ask";
    const servers = { mcpServers: { inbox: server, ...(asks && { inbox_permission: asking }) } };
    return {
      argv: [
        ...settings.command,
        ...["--print", "--output-format", "stream-json", "--verbose"],
        ...["--mcp-config", JSON.stringify(servers)],
        // A rule in addition to the user's own: a mode would replace theirs. It applies to all tools that change files.
        `--allowedTools=mcp__inbox${job.permission === "edit" ? ",Edit(./**)" : ""}`,
        ...(job.permission === "allow" ? ["--permission-mode", "bypassPermissions"] : []),
        ...(asks ? ["--permission-prompt-tool", "mcp__inbox_permission__permit"] : []),
        // It knows prices while it runs, and reports its cost only at the end.
        ...(job.costLeft === undefined ? [] : ["--max-budget-usd", String(job.costLeft)]),
        ...(job.instructions === null ? [] : ["--append-system-prompt", job.instructions]),
        ...(job.model === null ? [] : filled(settings.model, job)),
        ...(job.session === undefined ? [] : ["--resume", job.session]),
        ...mailSettings(settings, job),
      ],
      stdin: { text: job.prompt },
      files: { [mailHook]: newMail },
      // Some versions refuse to start inside another Claude Code, which is where most sub-agents are started.
      env: { CLAUDECODE: "", INBOX_SHOWN: job.folder, ...env },
    };
  }

  async function follow(talk: Talk, job: Job): Promise<Outcome> {
    const tools = toolNames(talk.note);
    const usage = claudeUsage();
    let session: string | undefined;
    let said = "";
    let result: Event | undefined;
    for await (const line of jsonLines(talk.stdout)) {
      if ("text" in line) {
        await talk.note({ kind: "output", text: line.text });
        continue;
      }
      const { event } = line;
      if (typeof event.session_id === "string") session = event.session_id;
      const used = usage.heard(event);
      if (used) talk.spent(used);
      if (event.type === "system") await noteServer(talk, event);
      else if (event.type === "result") result = event;
      else {
        const text = await noteBlocks(talk, tools, event);
        if (text !== "" && event.type === "assistant" && !event.parent_tool_use_id) said = text;
      }
    }
    const refused = deniedIn(result);
    const known = { ...(session !== undefined && { session }), ...(refused.length && { refused }) };
    if (!result) return { final: said, error: "it ended before it had a result", ...known };
    const words = wordsOf(result.result);
    Object.assign(known, usage.ended(result, job.counted));
    if (!result.is_error && result.subtype === "success") return { final: words || said, ...known };
    if (result.subtype === "error_max_budget_usd") return { final: said, overBudget: true, ...known };
    const reasons = Array.isArray(result.errors) ? result.errors.map(wordsOf).join("; ") : "";
    return { final: said, error: words || reasons || `it ended with ${wordsOf(result.subtype)}`, ...known };
  }

  return { resumes: true, launch, follow };
}

/**
 * [A13] New mail is shown after each tool call, as the plugin does. Added to the user's own hooks; a profile with its
 * own settings has the plugin, or no hooks.
 */
function mailSettings({ command }: RunnerSettings, { folder }: Job): string[] {
  if (command.some((word) => word === "--settings" || word.startsWith("--settings="))) return [];
  const hook = {
    type: "command",
    command: `sh ${shellWord(join(folder, mailHook))} PostToolUse`,
    timeout: 10,
  };
  return ["--settings", JSON.stringify({ hooks: { PostToolUse: [{ hooks: [hook] }] } })];
}

/** What it would have had to ask a person. */
function deniedIn(result: Event | undefined): string[] {
  const denials = result?.permission_denials;
  if (!Array.isArray(denials)) return [];
  return [...new Set(denials.map((one: { tool_name?: unknown }) => wordsOf(one?.tool_name) || "a tool"))];
}

/** Without our server a sub-agent can report nothing but its final message: worth a line in the transcript. */
async function noteServer(talk: Talk, event: Event): Promise<void> {
  const servers = (event.mcp_servers ?? []) as { name: string; status: string }[];
  const ours = servers.find(({ name }) => name === "inbox");
  if (ours?.status === "failed")
    await talk.note({ kind: "error", text: "the MCP server inbox did not start: its tools are missing" });
}

async function noteBlocks(talk: Talk, tools: ToolNames, event: Event): Promise<string> {
  const { content } = (event.message ?? {}) as { content?: string | Block[] };
  if (!Array.isArray(content)) return "";
  const texts: string[] = [];
  for (const block of content) {
    if (block.type === "tool_use") await tools.used(block.id, block.name ?? "", block.input);
    else if (block.type === "tool_result") await tools.answered(block.tool_use_id, textIn(block.content));
    else if (block.type === "text" && block.text && event.type === "assistant") {
      texts.push(block.text);
      await talk.note({ kind: "output", text: block.text });
    }
  }
  return texts.join("\n");
}
