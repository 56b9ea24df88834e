/** How a task failed, wherever its result is shown. */
import type { Paint } from "./paint.ts";
import { quoted, safe, setIn } from "./safe.ts";

/** [Q5] How a task failed, for people: its parent's message is the same as JSON. */
export function failureText(failure: unknown, paint: Paint): string | undefined {
  const { success, error, partial_output: partial } = Object(failure) as Record<string, unknown>;
  if (success !== false || typeof error !== "string") return undefined;
  const written = typeof partial === "string" ? quoted(safe(partial).trimEnd(), "  ").trimEnd() : "";
  return `${paint.red("failed:")} ${setIn(error, 8)}${written && `\n${paint.dim("it had written:")}\n${written}`}`;
}
