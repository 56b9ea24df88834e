/**
 * What was written and not sent yet. It is kept in the browser until it is sent or emptied: over Escape, another entry, a
 * reload, an outage and another token.
 */
import { effect, type Signal, signal, useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";

const prefix = "inbox-draft:";

function stored(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const key of Object.keys(localStorage))
    if (key.startsWith(prefix)) found.set(key.slice(prefix.length), localStorage.getItem(key)!);
  return found;
}

const drafts = signal(stored());

// Another window of this browser has written or sent it.
addEventListener("storage", ({ key }) => {
  if (key === null || key.startsWith(prefix)) drafts.value = stored();
});

/** What is written under a name, as `entry 0b7d…`; "" where nothing is. */
export const draftOf = (name: string) => drafts.value.get(name) ?? "";

export function keepDraft(name: string, text: string): void {
  if (text === (drafts.peek().get(name) ?? "")) return;
  const next = new Map(drafts.peek());
  if (text.trim() === "") next.delete(name);
  else next.set(name, text);
  drafts.value = next;
  try {
    if (text.trim() === "") localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, text);
  } catch {
    // The browser has no room left for this page: the draft lives as long as the window.
  }
}

/** A field whose text is kept; `unchanged` is what it has before anybody types. */
export function useDraft(name: string, unchanged = ""): Signal<string> {
  const text = useSignal(draftOf(name) || unchanged);
  // At once: what is typed and left before the next frame is drawn must be kept, too.
  useLayoutEffect(
    () => effect(() => keepDraft(name, text.value === unchanged ? "" : text.value)),
    [name, text, unchanged],
  );
  return text;
}
