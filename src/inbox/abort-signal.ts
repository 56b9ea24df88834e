import type { EndSignal } from "../engines/engine.ts";

/** The signal of a call for those who need the runtime's own: they give it to processes, or to many listeners. */
export function abortSignalOf(signal: EndSignal | undefined): AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  const ending = new AbortController();
  const end = { handleEvent: () => ending.abort(signal.reason) };
  signal.addEventListener("abort", end);
  if (signal.aborted) end.handleEvent();
  return ending.signal;
}
