/** [C5] One call of a tool: who calls, what the operation takes, and how its answer is told to a model. */
import { asInboxError, hinted, InboxError } from "../../contract/errors.ts";
import { fillFromHere, type Surroundings } from "../../contract/surroundings.ts";
import { limitWait } from "../../contract/waiting.ts";
import { actAs, type Caller } from "../../identity.ts";
import type { BusOperation, Inbox } from "../../inbox.ts";
import { answerOf } from "./answer.ts";
import type { Changes } from "./changes.ts";
import type { Settling } from "./settle.ts";
import { inputOf, shownTo, type Tool, toolNamed } from "./tools.ts";

/** Who speaks on a connection, and to which bus. */
export interface Session {
  inbox: Inbox;
  /** Whom a token speaks for. */
  caller: Caller;
  /** Who it is, where the address or the environment says so and no token does. */
  agent?: string;
  /** [U1] Its workspace, which only the address says. */
  workspace?: string;
  /** Where it works and what its environment says, where that is known. */
  here?: Surroundings;
  settling: Settling;
  /** What has changed, for who subscribes. */
  changes: Changes;
  /** Requests have ids of their own, not of a connection's: two may have the same. */
  requests?: boolean;
  /** [X14] Admits one more wait, and is told by the answer when it is over. */
  admitWait?(): () => void;
  /** Ends a call that nobody waits for any more. */
  abandon?(id: string | number): void;
}

export interface CallContext {
  id: string | number;
  signal?: AbortSignal;
  /** Says that it is still waiting, where the client wants to hear it. */
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
  await session.settling.spoke();
  let tool: Tool | undefined;
  try {
    tool = toolNamed(name);
    const input = inputOf(tool, args);
    identify(session, tool, input);
    settleWorkspace(session, tool, input);
    if (session.here) fillFromHere(tool.op, input, session.here);
    limitWait(tool.op, input);
    const over = tool.op.waits ? session.admitWait?.() : undefined;
    const handed = await waiting(tool, context, () =>
      session.inbox.hand(tool!.op.name as BusOperation, input as never, {
        signal: context.signal,
        verified: session.caller.agent !== undefined,
        label: labelOf(tool!),
      }),
    ).finally(over);
    if (context.signal?.aborted) {
      await handed.giveBack?.();
      throw context.signal.reason;
    }
    session.settling.answered(context.id, handed);
    return answerOf(tool, handed.value, String(input[tool.op.cli.identity ?? ""] ?? ""));
  } catch (error) {
    if (context.signal?.aborted) throw error;
    const refused = asInboxError(error);
    if (!tool || refused.code !== "invalid_input") return refusal(refused);
    const known = session.caller.agent !== undefined || session.agent !== undefined;
    const fields = Object.keys(shownTo(tool, known).inputSchema.properties);
    return refusal(hinted(refused, `${tool.form.tool} takes ${fields.join(", ") || "nothing"}`));
  }
}

/** [X2] Token before address before environment before argument; an argument counts only where nothing else is known. */
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
    // Reading a channel as a filter of one's own is no identity: only what acts needs one.
    input[key] = agent;
    return;
  }
  if (named !== undefined) return;
  if (op.cli.shape === "channel") input[key] = "mcp";
  else if (op.input().entries[key]?.type !== "optional")
    throw new InboxError("invalid_input", `${form.tool} needs to know who you are`, {
      hint: "set INBOX_AGENT for the server, use a token, or connect to /mcp?agent=NAME",
    });
}

/** [U1] Where a push belongs comes from the address, never from an argument. */
function settleWorkspace({ workspace }: Session, { op, form }: Tool, input: Record<string, unknown>): void {
  if (form.set !== "user") return;
  if ("workspace" in input)
    throw new InboxError("invalid_input", `workspace is not a field of ${form.tool}: the address says it`);
  if (workspace === undefined)
    throw new InboxError("not_allowed", `${op.mcp && form.tool} is for an agent in a workspace`, {
      hint: "connect to /mcp/WORKSPACE of the hub; inbox workspace add PATH --label TEXT makes one",
    });
  input.workspace = workspace;
}

const labelOf =
  ({ op, form }: Tool) =>
  (key: string) =>
    form.renamed?.[key] ??
    (op.cli.shape === "channel" ? key : key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

/** While it waits the client hears from time to time that it still does. */
async function waiting<T>({ op }: Tool, { progress }: CallContext, call: () => Promise<T>): Promise<T> {
  if (!op.waits || !progress) return call();
  const started = performance.now();
  const timer = setInterval(() => progress(Math.round((performance.now() - started) / 1000)), progressMs);
  return call().finally(() => clearInterval(timer));
}

/** A model can correct itself: it gets the code, what is the case, and what to do. */
function refusal(error: InboxError): ToolResult {
  const { code, message, hint, ...rest } = error.shape();
  return {
    content: [{ type: "text", text: `${code}: ${message}\n${hint}` }],
    structuredContent: { ok: false, error: { code, message, hint, ...rest } },
    isError: true,
  };
}
