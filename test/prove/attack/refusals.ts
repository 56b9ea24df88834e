/** What an error of the product's means to whoever called. */
import type { Fields } from "../check/history.ts";
import type { Told } from "./surfaces.ts";

interface ErrorShape {
  code: string;
  message: string;
  details?: Fields;
}

/** Writes whose outcome nobody could say, and calls whose answer was lost. */
export function refusalOf({ code, message, details = {} }: ErrorShape): Told {
  const lost = details.unreachable === true && details.sent !== false;
  const unknown = details.known === false || lost || /not known/.test(message);
  return { outcome: unknown ? "unknown" : "refused", code, value: { error: message } };
}

/** Nobody took the connection, so nothing was called; every other end of a connection leaves the outcome open. */
export function brokenOf(error: unknown): Told {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const neverSent = /^(ConnectionRefused|ECONNREFUSED|FailedToOpenSocket)$/.test(String(code));
  return {
    outcome: neverSent ? "refused" : "unknown",
    code: "no_answer",
    value: { error: String(message ?? error) },
  };
}
