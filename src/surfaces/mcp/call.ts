/** [C5] One call of a tool: who calls, what the operation takes, and how its answer is shown to a model. */
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { asInboxError, hinted, InboxError } from "../../contract/errors.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import { fillFromHere, type Surroundings } from "../../contract/surroundings.ts";
import { limitWait } from "../../contract/waiting.ts";
import { actAs, type Caller } from "../../inbox/caller.ts";
import { type BusOperation, endOfWait, type Inbox } from "../../inbox/inbox.ts";
import { answerOf } from "./answer.ts";
import type { Changes } from "./changes.ts";
import type { Id, Settling } from "./settle.ts";
import { inputOf, nobodyIn, noTool, shownTo, type Tool, toolNamed } from "./tools.ts";
import { inModelsWords } from "./wording.ts";

/** The client of a connection, and its bus. */
export interface Session {
  inbox: Inbox;
  /** The agent of its token. */
  caller: Caller;
  /** Its name, if the address or the environment has one and there is no token. */
  agent?: string;
  /** [U1] Its workspace, which only the address can name. */
  workspace?: string;
  /** Its folder and environment, if they are known. */
  here?: Surroundings;
  settling: Settling;
  /** Changes, for clients that subscribe. */
  changes: Changes;
  /**
   * For a revision without sessions: each request stands alone, and two may have the same id. `speaker` is the agent
   * that the token or the address names; empty if only the arguments do. `answers`: the hand-overs to settle, for the
   * code that sees them written.
   */
  alone?: { speaker: string; answers: Id[] };
  /** [X14] Admits one more wait; the returned function is called when it is over. */
  admitWait?(): () => void;
  /** Ends a call whose client has gone. */
  abandon?(id: string | number): void;
  /** [C11] Aborted when the server is about to stop: waits are answered as if they had timed out. */
  stopping?: AbortSignal;
}

export interface CallContext {
  id: string | number;
  signal?: AbortSignal;
  /** Sends progress notifications, if the client wants them. */
  progress?(waitedSeconds: number): void;
}

export interface ToolResult {
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  [key: string]: unknown;
}

const progressMs = 5000;

export async function callTool(
  session: Session,
  name: string,
  args: Record<string, unknown>,
  context: CallContext,
): Promise<ToolResult> {
  const { settling, alone } = session;
  let speaker = alone?.speaker ?? "";
  if (!alone || speaker) await settling.spoke(speaker);
  const named = toolNamed(name, args);
  // A protocol error instead of a tool result: there is no such tool.
  if (!named) throw new ProtocolError(ProtocolErrorCode.InvalidParams, noTool(name));
  const { tool } = named;
  try {
    const input = inputOf(tool, named.args);
    identify(session, tool, input);
    if (alone && !speaker) {
      speaker = actorIn(tool.op, input);
      await settling.spoke(speaker);
    }
    settleWorkspace(session, tool, input);
    if (session.here) fillFromHere(tool.op, input, session.here);
    limitWait(tool.op, input);
    const over = tool.op.waits ? session.admitWait?.() : undefined;
    const { signal, leave } = untilStop(context.signal, session.stopping);
    const handed = await waiting(tool, context, () =>
      session.inbox.hand(tool.op.name as BusOperation, input as never, {
        signal,
        caller: { ...session.caller, surface: "mcp" },
      }),
    ).finally(() => {
      over?.();
      leave();
    });
    if (context.signal?.aborted) {
      await handed.release?.();
      throw context.signal.reason;
    }
    settling.answered(context.id, handed, alone && speaker);
    alone?.answers.push(context.id);
    const answer = answerOf(tool, handed.value, String(input[tool.op.cli.identity ?? ""] ?? ""));
    return noted(answer, named.note);
  } catch (error) {
    if (context.signal?.aborted) throw error;
    const refused = asInboxError(error);
    if (refused.code !== "invalid_input") return noted(refusal(refused, tool.op), named.note);
    const known = session.caller.agent !== undefined || session.agent !== undefined;
    const fields = Object.keys(shownTo(tool, known).inputSchema.properties);
    const taught = hinted(refused, `${tool.form.tool} takes ${fields.join(", ") || "nothing"}`);
    return noted(refusal(taught, tool.op), named.note);
  }
}

/** The field that says for whom a call acts: a channel has readers, everything else agents. */
const actorIn = ({ cli, marks }: AnyOperation, input: Record<string, unknown>) =>
  String(input[marks?.whose ?? cli.identity ?? ""] ?? "");

/**
 * [X2] The token comes before the address, the environment and the argument; an argument counts only if nothing else
 * is known.
 */
function identify({ caller, agent }: Session, { op, form }: Tool, input: Record<string, unknown>): void {
  actAs(caller, op, input);
  const key = op.cli.identity;
  if (key === undefined || caller.agent !== undefined) return;
  const named = input[key];
  if (agent !== undefined) {
    if (named !== undefined && named !== agent)
      throw new InboxError("not_allowed", `you are "${agent}" here, and cannot act as "${String(named)}"`, {
        hint: `leave out ${form.renamed?.[key] ?? key}`,
      });
    // Reading a channel with a filter needs no identity; only operations that act do.
    input[key] = agent;
    return;
  }
  // [C9] A client that does not say who it is.
  input[key] ??= nobodyIn(op);
}

/** [U1] The workspace of a push comes from the address, never from an argument. */
function settleWorkspace({ workspace }: Session, { op, form }: Tool, input: Record<string, unknown>): void {
  if (form.set !== "user") return;
  if ("workspace" in input)
    throw new InboxError(
      "invalid_input",
      `workspace is not an argument of ${form.tool}: the address determines it`,
    );
  if (workspace === undefined)
    throw new InboxError(
      "not_allowed",
      `${op.mcp && form.tool} is only available to an agent of a workspace`,
      {
        hint: "this connection has no workspace; use send_message to user instead",
      },
    );
  input.workspace = workspace;
}

/** A signal that ends a call if its client has gone, and ends it as a timeout would if the server is about to stop. */
function untilStop(gone: AbortSignal | undefined, stopping: AbortSignal | undefined) {
  if (!stopping) return { signal: gone, leave: () => {} };
  const ending = new AbortController();
  const lost = () => ending.abort(gone?.reason);
  const stop = () => ending.abort(endOfWait);
  gone?.addEventListener("abort", lost);
  stopping.addEventListener("abort", stop);
  if (gone?.aborted) lost();
  if (stopping.aborted) stop();
  const leave = () => {
    gone?.removeEventListener("abort", lost);
    stopping.removeEventListener("abort", stop);
  };
  return { signal: ending.signal, leave };
}

/** While it waits, the client is told regularly that it still does. */
async function waiting<T>({ op }: Tool, { progress }: CallContext, call: () => Promise<T>): Promise<T> {
  if (!op.waits || !progress) return call();
  const started = performance.now();
  const timer = setInterval(() => progress(Math.round((performance.now() - started) / 1000)), progressMs);
  return call().finally(() => clearInterval(timer));
}

/** [C5] A client that used another name for a tool is told ours. */
function noted(result: ToolResult, note: string | undefined): ToolResult {
  return note === undefined
    ? result
    : { ...result, content: [...result.content, { type: "text", text: note }] };
}

/** A model can correct itself: it gets the code, the reason, and what to do. */
function refusal(error: InboxError, op: AnyOperation): ToolResult {
  const { code, details } = error;
  const { message, hint } = inModelsWords(error, op);
  return {
    content: [{ type: "text", text: `${code}: ${message}\n${hint}` }],
    structuredContent: { ok: false, error: { code, message, hint, ...(details && { details }) } },
    isError: true,
  };
}
