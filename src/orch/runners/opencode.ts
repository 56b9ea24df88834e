/** [Q8] OpenCode without its screen: `opencode run --format json`. */
import type { UsageReport } from "../../contract/usage.ts";
import type { RunnerSettings } from "../profiles/profile.ts";
import { jsonLines } from "./json-lines.ts";
import { said } from "./output-collector.ts";
import { toldTo } from "./prompt-text.ts";
import { countIn, moneyIn, summed } from "./reports.ts";
import type { Job, Launch, Outcome, Runner, Talk } from "./runner.ts";
import { filled } from "./template.ts";
import { toolNames, wordsOf } from "./tool-names.ts";

/** A wait over MCP may take 600 s; OpenCode allows a server far less. */
const toolTimeoutMs = 660_000;

interface Part {
  text?: string;
  tool?: string;
  callID?: string;
  cost?: unknown;
  tokens?: {
    input?: unknown;
    output?: unknown;
    reasoning?: unknown;
    cache?: { read?: unknown; write?: unknown };
  };
  state?: { input?: unknown; output?: unknown; error?: unknown };
}

export function opencodeRunner(settings: RunnerSettings): Runner {
  function launch(job: Job): Launch {
    const before = settings.env.OPENCODE_CONFIG_CONTENT ?? process.env.OPENCODE_CONFIG_CONTENT;
    return {
      argv: [
        ...settings.command,
        ...["run", "--format", "json"],
        ...(job.permission === "allow" ? ["--auto"] : []),
        ...(job.model === null ? [] : filled(settings.model, job)),
        ...(job.session === undefined ? [] : ["--session", job.session]),
      ],
      stdin: { text: toldTo(job) },
      env: { ...job.mcp.env, OPENCODE_CONFIG_CONTENT: withServer(before, job) },
    };
  }

  async function follow(talk: Talk, job: Job): Promise<Outcome> {
    const tools = toolNames(talk.note);
    const speech = said(talk.note);
    let session = job.session;
    let error: string | undefined = "it exited without output";
    const refused = new Set<string>();
    let used: UsageReport | undefined;
    for await (const line of jsonLines(talk.stdout)) {
      if ("text" in line) {
        await talk.note({ kind: "output", text: line.text });
        continue;
      }
      const { type, sessionID, ...event } = line.event;
      const part = (event.part ?? {}) as Part;
      if (typeof sessionID === "string") session = sessionID;
      if (type === "text") {
        await speech.pause();
        await speech.add(part.text ?? "");
        error = undefined;
      } else if (type === "tool_use") {
        await speech.pause();
        await tools.used(part.callID, part.tool ?? "", part.state?.input);
        await tools.answered(part.callID, wordsOf(part.state?.output ?? part.state?.error));
        if (/rejected permission/i.test(wordsOf(part.state?.error))) refused.add(part.tool ?? "a tool");
        error = undefined;
      } else if (type === "step_finish") {
        used = summed([...(used ? [used] : []), stepIn(part)]);
        talk.spent(used);
      } else if (type === "error") error = reasonIn(event.error);
    }
    await speech.pause();
    return {
      ...speech.final(),
      ...(error !== undefined && { error }),
      ...(session !== undefined && { session }),
      ...(refused.size && { refused: [...refused] }),
      ...(used && { used }),
    };
  }

  return { resumes: true, launch, follow };
}

/** [A11] One request to its model. Its input does not include tokens read from the cache. */
const stepIn = ({ tokens = {}, cost }: Part): UsageReport => ({
  inputTokens: countIn(tokens.input) + countIn(tokens.cache?.write),
  cachedTokens: countIn(tokens.cache?.read),
  outputTokens: countIn(tokens.output) + countIn(tokens.reasoning),
  costUsd: moneyIn(cost),
  turns: 1,
});

const reasonIn = (error: unknown) => {
  const { name, data } = (error ?? {}) as { name?: string; data?: { message?: string } };
  return data?.message ?? name ?? wordsOf(error);
};

/** Its configuration, passed in the environment, which takes precedence over all files. Existing values are kept. */
function withServer(before: string | undefined, { mcp }: Job): string {
  const config = before ? (Bun.JSONC.parse(before) as { mcp?: object }) : {};
  // By reference: OpenCode writes its configuration to logs.
  const environment = Object.fromEntries(Object.keys(mcp.env).map((name) => [name, `{env:${name}}`]));
  const inbox = {
    type: "local",
    command: [mcp.command, ...mcp.args],
    environment,
    enabled: true,
    timeout: toolTimeoutMs,
  };
  return JSON.stringify({ ...config, mcp: { ...config.mcp, inbox } });
}
