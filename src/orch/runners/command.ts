/** [Q8] Any program: what it prints is its final message. */
import type { UsageReport } from "../../contract/usage.ts";
import type { RunnerSettings } from "../profiles/profile.ts";
import { mentions } from "../profiles/template-places.ts";
import { keptEnd } from "./kept-end.ts";
import { toldTo } from "./prompt-text.ts";
import { countIn, moneyIn } from "./reports.ts";
import { finalLimit, type Job, type Launch, type Outcome, type Runner, type Talk } from "./runner.ts";
import { checkArguments, filled, fits, withFlags } from "./template.ts";

/** The maximum size of the JSON object: a final message in which every character may be escaped, and something more. */
const jsonLimit = 8 * 1024 * 1024;

export function commandRunner(settings: RunnerSettings): Runner {
  /** Session ids that were generated here, because the command needs one. */
  const named = new WeakMap<Job, string>();

  function launch(job: Job): Launch {
    const again = job.session !== undefined && settings.resume;
    const command = again || settings.command;
    const session = job.session ?? nameOf(job);
    const told = toldTo(job);
    const words = job.model === null ? command : withFlags(command, settings.model);
    const inArgument = mentions(command, "prompt");
    const appended = !inArgument && settings.prompt === "argument";
    const argv = filled(appended ? [...words, "{prompt}"] : words, { ...job, prompt: told, session });
    checkArguments(argv);
    const stdin = !inArgument && !appended && { stdin: { text: told } };
    return { argv, ...stdin, env: { ...job.mcp.env, ...(fits(told) && { INBOX_PROMPT: told }) } };
  }

  function nameOf(job: Job): string | undefined {
    if (!mentions(settings.command, "session")) return undefined;
    const name = named.get(job) ?? crypto.randomUUID();
    named.set(job, name);
    return name;
  }

  async function follow(talk: Talk, job: Job): Promise<Outcome> {
    const kept = keptEnd(settings.output === "json" ? jsonLimit : finalLimit);
    for await (const text of decoded(talk.stdout)) {
      kept.add(text);
      await talk.note({ kind: "output", text, ...(!text.endsWith("\n") && { open: true }) });
    }
    const printed = kept.text();
    // A resume command without a session id continues the last session.
    const unnamed = settings.resume && !mentions(settings.resume, "session") ? "last" : undefined;
    const session = job.session ?? named.get(job) ?? unnamed;
    const outcome =
      settings.output === "json"
        ? answerIn(printed)
        : { final: printed.replace(/\r?\n$/, ""), cut: kept.cut() };
    return session === undefined ? outcome : { session, ...outcome };
  }

  return { resumes: settings.resume !== null, launch, follow };
}

/** Decodes bytes to text in pieces; invalid UTF-8 becomes U+FFFD, and no character is cut in two. */
async function* decoded(stdout: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for await (const bytes of stdout) {
    const text = decoder.decode(bytes, { stream: true });
    if (text !== "") yield text;
  }
  const rest = decoder.decode();
  if (rest !== "") yield rest;
}

/** The object is the whole output, or its last line. */
function answerIn(printed: string): Outcome {
  const whole = printed.trim();
  const object = objectIn(whole) ?? objectIn(whole.slice(whole.lastIndexOf("\n") + 1));
  if (!object)
    return { final: printed, error: 'printed no JSON object, though its runner has output = "json"' };
  const { result, message, text, error, session, session_id } = object;
  const name = session ?? session_id;
  const used = usageIn(object);
  const known = {
    ...(typeof name === "string" && name !== "" && { session: name }),
    ...(used && { used }),
  };
  const found = result ?? message ?? text;
  if (error) return { final: found === undefined ? "" : wordsOf(found), error: wordsOf(error), ...known };
  if (found !== undefined && found !== null) return { final: wordsOf(found), ...known };
  return { final: whole, error: "printed a JSON object without result, message or text", ...known };
}

/** [A11] As `{"usage": {"input_tokens": …, "output_tokens": …}, "total_cost_usd": …}`, which several programs print. */
function usageIn({ usage, total_cost_usd, num_turns }: Record<string, unknown>): UsageReport | undefined {
  const tokens = (typeof usage === "object" && usage !== null ? usage : {}) as Record<string, unknown>;
  const used = {
    inputTokens: countIn(tokens.input_tokens) + countIn(tokens.cache_creation_input_tokens),
    cachedTokens: countIn(tokens.cache_read_input_tokens),
    outputTokens: countIn(tokens.output_tokens),
    costUsd: moneyIn(total_cost_usd),
    turns: countIn(num_turns),
  };
  const isThere = used.costUsd !== null || used.inputTokens + used.cachedTokens + used.outputTokens > 0;
  return isThere ? { ...used, turns: used.turns || 1 } : undefined;
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

const wordsOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
