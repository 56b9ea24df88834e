/**
 * [B4] Our own client confirms an answer once it has received it. It generates an id for its call, and the answer
 * contains the receipt. Nothing of it is kept here, so any hub of the same bus can take the confirmation.
 */
import { InboxError } from "../../contract/errors.ts";
import { handOverHeader } from "../../contract/headers.ts";
import { parseInput } from "../../contract/operation.ts";
import { isHandOverId, type Receipt, receipt } from "../../contract/receipt.ts";
import type { Caller } from "../../inbox/caller.ts";
import type { Handed } from "../../inbox/inbox.ts";
import { plain } from "./answer.ts";

export function handOverOf(request: Request): string | undefined {
  const id = request.headers.get(handOverHeader);
  if (id === null) return undefined;
  if (!isHandOverId(id)) throw new InboxError("invalid_input", `${handOverHeader} must be a UUID`);
  return id;
}

/** Only our own client gives its calls an id. */
export const isOwnClient = (request: Request) => request.headers.has(handOverHeader);

/** The answer with its receipt. A client that disconnects before it is written has not received it. */
export function withReceipt(request: Request, handed: Handed<unknown>): Response {
  request.signal.addEventListener("abort", () => void handed.release?.({ seen: true }).catch(() => {}));
  return plain({ ...(handed.value as object), handOver: handed.receipt });
}

/** [X2] A client confirms or releases an answer only in its own name. */
export function receiptIn(body: unknown, { agent }: Caller): Receipt {
  const said = parseInput({ name: "a hand-over", input: receipt }, body);
  if (agent === undefined) return said;
  if (said.of === "call" && said.agent === undefined) return { ...said, agent };
  if ((said.of === "channel" ? said.reader : said.agent) === agent) return said;
  throw new InboxError(
    "not_allowed",
    `that hand-over belongs to another agent: this token belongs to "${agent}"`,
  );
}
