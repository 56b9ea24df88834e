/** [Q8] Any agent that speaks the Agent Client Protocol on its standard input and output. */
import type * as Acp from "@agentclientprotocol/sdk";
import { version } from "../../version.ts";
import type { RunnerSettings } from "../profiles/profile.ts";
import { answer } from "./acp-permission.ts";
import { streamOf } from "./acp-stream.ts";
import { updatesTo } from "./acp-updates.ts";
import { acpUsage } from "./acp-usage.ts";
import { interrupted, interruptible } from "./interruptible.ts";
import { toldTo } from "./prompt-text.ts";
import type { Job, Launch, Outcome, Runner, Talk } from "./runner.ts";
import { filled } from "./template.ts";

type Sdk = typeof Acp;

/** The arguments of an agent, if the settings have none. */
export interface AcpWays {
  flags?: (job: Job) => readonly string[];
  env?: Readonly<Record<string, string>>;
  /** It reports that it can resume a conversation, but cannot. */
  forgets?: boolean;
}

export function acpRunner(settings: RunnerSettings, ways: AcpWays = {}): Runner {
  function launch(job: Job): Launch {
    const model = job.model === null ? [] : filled(settings.model, job);
    return {
      argv: [...filled(settings.command, { ...job, prompt: "" }), ...(ways.flags?.(job) ?? []), ...model],
      stdin: "open",
      env: { ...ways.env, ...job.mcp.env },
    };
  }

  async function follow(talk: Talk, job: Job): Promise<Outcome> {
    // Loaded here: loading it takes as long as the rest of the program.
    const sdk: Sdk = await import("@agentclientprotocol/sdk");
    const usage = acpUsage(talk, job);
    const updates = updatesTo(talk.note, usage.take);
    const listening = { on: false };
    const refused = new Set<string>();
    const connection = sdk
      .client({ name: "restante" })
      .onRequest(sdk.methods.client.session.requestPermission, ({ params }) =>
        answer(job, talk, params, refused),
      )
      .connect(streamOf(talk, updates, listening));
    let session: string | undefined;
    const finish = async (error?: string): Promise<Outcome> => {
      await updates.said.pause();
      return {
        ...updates.said.final(),
        ...(error && { error }),
        ...(session && { session }),
        ...(refused.size && { refused: [...refused] }),
        ...usage.outcome(),
      };
    };
    try {
      const { agent } = connection;
      const hello = await agent.request(sdk.methods.agent.initialize, {
        protocolVersion: sdk.PROTOCOL_VERSION,
        clientInfo: { name: "restante", version },
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      });
      const opened = await open(sdk, agent, hello, job);
      if (!ways.forgets && canGoOn(hello)) session = opened.sessionId;
      if (job.model !== null && !settings.model.length) await chooseModel(sdk, agent, opened, job.model);
      const cancel = () =>
        void agent.notify(sdk.methods.agent.session.cancel, { sessionId: opened.sessionId }).catch(() => {});
      talk.signal.addEventListener("abort", cancel, { once: true });
      listening.on = true;
      const ask = (text: string): Promise<Acp.PromptResponse> =>
        agent.request(sdk.methods.agent.session.prompt, {
          sessionId: opened.sessionId,
          prompt: [{ type: "text", text }],
        });
      const take = (text: string) => {
        const asked = interruptible(talk.interruptions, ask(text), cancel);
        if (talk.signal.aborted) cancel();
        return asked;
      };
      let turn = await take(toldTo(job));
      while (turn.told !== undefined && !talk.signal.aborted) {
        await updates.said.pause();
        await talk.note(interrupted);
        await talk.note({ kind: "prompt", text: turn.told });
        usage.answered(turn.ended);
        turn = await take(turn.told);
      }
      usage.answered(turn.ended);
      talk.signal.removeEventListener("abort", cancel);
      return await finish(stopReasons[turn.ended.stopReason]);
    } catch (error) {
      return await finish(reasonOf(error, connection.signal.aborted));
    } finally {
      talk.endInput();
      connection.close();
    }
  }

  return { resumes: !ways.forgets, cancels: true, launch, follow };
}

const stopReasons: Record<Acp.StopReason, string | undefined> = {
  end_turn: undefined,
  max_tokens: "it stopped because its model reached the token limit",
  max_turn_requests: "it stopped because it reached the limit of model requests",
  refusal: "it refused to continue",
  cancelled: "it was cancelled",
};

const authRequired = -32000;

function reasonOf(error: unknown, closed: boolean): string {
  const { code, message, data } = error as { code?: number; message?: string; data?: unknown };
  if (code === authRequired) return `it requires a login: start it once by hand and log in (${message})`;
  if (code === undefined && closed) return "it exited before its turn was complete";
  const details = (data as { details?: unknown } | undefined)?.details;
  return typeof details === "string" ? `${message}: ${details}` : (message ?? String(error));
}

const canGoOn = ({ agentCapabilities }: Acp.InitializeResponse) =>
  Boolean(agentCapabilities?.sessionCapabilities?.resume || agentCapabilities?.loadSession);

type Opened = Pick<Acp.NewSessionResponse, "sessionId" | "configOptions">;

async function open(
  sdk: Sdk,
  agent: Acp.ClientContext,
  { agentCapabilities }: Acp.InitializeResponse,
  { cwd, mcp, session }: Job,
): Promise<Opened> {
  const env = Object.entries(mcp.env).map(([name, value]) => ({ name, value }));
  const place = { cwd, mcpServers: [{ name: "inbox", command: mcp.command, args: [...mcp.args], env }] };
  const { session: methods } = sdk.methods.agent;
  if (session === undefined) return agent.request(methods.new, place);
  const again = { ...place, sessionId: session };
  // Loading a session repeats the whole conversation, resuming does not.
  const { configOptions }: Acp.LoadSessionResponse = agentCapabilities?.sessionCapabilities?.resume
    ? await agent.request(methods.resume, again)
    : await agent.request(methods.load, again);
  return { sessionId: session, configOptions };
}

async function chooseModel(sdk: Sdk, agent: Acp.ClientContext, opened: Opened, model: string): Promise<void> {
  const option = opened.configOptions?.find(
    ({ category, type }) => category === "model" && type === "select",
  );
  if (option?.type !== "select")
    throw new Error(`it does not support selecting a model, and ${JSON.stringify(model)} was requested`);
  const values = option.options
    .flatMap((one) => ("options" in one ? one.options : [one]))
    .map(({ value }) => value);
  if (!values.includes(model))
    throw new Error(`it has no model ${JSON.stringify(model)}; there are ${values.join(", ")}`);
  const { sessionId } = opened;
  await agent.request(sdk.methods.agent.session.setConfigOption, {
    sessionId,
    configId: option.id,
    value: model,
  });
}
