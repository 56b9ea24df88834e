/** [Q8] Codex without its screen: `codex exec --json`. */
import { join } from "node:path";
import type { UsageReport } from "../../contract/usage.ts";
import type { RunnerSettings } from "../profiles/profile.ts";
import { isOpenSandbox, serverKeys } from "./codex-servers.ts";
import { codexCount, codexSession } from "./codex-usage.ts";
import { jsonLines } from "./json-lines.ts";
import { sinceCounted } from "./reports.ts";
import type { Job, Launch, Outcome, Runner, Talk } from "./runner.ts";
import { filled } from "./template.ts";
import { type ToolNames, textIn, toolNames, wordsOf } from "./tool-names.ts";

interface Item {
  id?: string;
  type?: string;
  text?: string;
  message?: string;
  server?: string;
  tool?: string;
  arguments?: unknown;
  result?: { content?: unknown } | null;
  error?: { message?: string } | null;
  command?: string;
  aggregated_output?: string;
  changes?: unknown;
  query?: string;
  status?: string;
}

export function codexRunner(settings: RunnerSettings): Runner {
  function launch(job: Job): Launch {
    const env = { ...process.env, ...settings.env };
    const config = {
      ...serverKeys(job, env),
      ...(job.instructions !== null && { developer_instructions: job.instructions }),
      // As configuration, over which a flag in the profile's command takes precedence; never less than the user's own setting.
      ...(job.permission === "edit" && !isOpenSandbox(job, env) && { sandbox_mode: "workspace-write" }),
    };
    return {
      argv: [
        ...settings.command,
        ...["exec", "--json", "--skip-git-repo-check"],
        ...Object.entries(config).flatMap(([key, value]) => ["-c", `${key}=${tomlOf(value)}`]),
        ...(job.permission === "allow" ? ["--dangerously-bypass-approvals-and-sandbox"] : []),
        ...(job.model === null ? [] : filled(settings.model, job)),
        ...(job.session === undefined ? [] : ["resume", job.session]),
        "-",
      ],
      stdin: { text: job.prompt },
      env: job.mcp.env,
    };
  }

  async function follow(talk: Talk, job: Job): Promise<Outcome> {
    const tools = toolNames(talk.note);
    let session = job.session;
    let final = "";
    let ended = false;
    let error: string | undefined;
    const refused = new Set<string>();
    let counted: UsageReport | undefined;
    let file = sessionFile(session, job);
    let turns = 0;
    for await (const line of jsonLines(talk.stdout)) {
      if ("text" in line) {
        await talk.note({ kind: "output", text: line.text });
        continue;
      }
      const { event } = line;
      const item = (event.item ?? {}) as Item;
      if (event.type === "thread.started") {
        session = wordsOf(event.thread_id);
        file = sessionFile(session, job);
      } else if (event.type === "item.started") await noteUse(tools, item);
      else if (event.type === "item.completed") {
        if (item.type === "agent_message") final = item.text ?? "";
        if (item.status === "declined") refused.add(useOf(item)?.[0] ?? item.type ?? "a tool");
        await noteItem(talk, tools, item);
      } else if (event.type === "turn.completed") {
        ended = true;
        error = undefined;
        if (event.usage) counted = codexCount(event.usage as Record<string, unknown>, ++turns);
      } else if (event.type === "turn.failed") error = reasonIn(event.error);
      // Codex retries after some of these errors; only the end of the turn counts.
      else if (event.type === "error") await talk.note({ kind: "error", text: reasonIn(event) });
      const used = counted === undefined ? file?.used() : undefined;
      if (used) talk.spent(used);
    }
    if (!ended && error === undefined) error = "it exited before its turn was complete";
    return {
      final,
      ...(error !== undefined && { error }),
      ...(session !== undefined && { session }),
      ...(refused.size && { refused: [...refused] }),
      ...(counted && { counted, used: sinceCounted(counted, job.counted) }),
    };
  }

  /** [A11] In its own folder, as its environment names it. */
  function sessionFile(session: string | undefined, { counted }: Job) {
    const env = { ...process.env, ...settings.env };
    const home = env.CODEX_HOME || (env.HOME && join(env.HOME, ".codex"));
    return session === undefined || !home ? undefined : codexSession(home, session, counted);
  }

  return { resumes: true, launch, follow };
}

const reasonIn = (error: unknown) => wordsOf((error as { message?: unknown } | undefined)?.message ?? error);

/** JSON strings and arrays of them are valid TOML, except for one character. */
const tomlOf = (value: unknown) => JSON.stringify(value).replaceAll("\u007f", "\\u007f");

/** The name of a tool, and its arguments. */
function useOf(item: Item): [tool: string, input: unknown] | undefined {
  switch (item.type) {
    case "mcp_tool_call":
      return [`${item.server}.${item.tool}`, item.arguments];
    case "command_execution":
      return ["shell", item.command];
    case "file_change":
      return ["file_change", item.changes];
    case "web_search":
      return ["web_search", item.query];
    default:
      return undefined;
  }
}

async function noteUse(tools: ToolNames, item: Item): Promise<void> {
  const use = useOf(item);
  if (use) await tools.used(item.id, ...use);
}

async function noteItem(talk: Talk, tools: ToolNames, item: Item): Promise<void> {
  if (item.type === "agent_message") await talk.note({ kind: "output", text: item.text ?? "" });
  else if (item.type === "error") await talk.note({ kind: "error", text: item.message ?? "" });
  else if (useOf(item)) {
    if (!tools.open(item.id)) await noteUse(tools, item);
    const answer = item.error?.message ?? item.aggregated_output ?? textIn(item.result?.content);
    await tools.answered(item.id, answer || (item.status ?? ""));
  }
}
