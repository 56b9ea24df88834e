/** Which channels there are, as far as can be known: agents' inboxes, and those that were seen or opened here. */
import { api } from "./api.ts";
import { onEvent } from "./live.ts";

const key = "inbox-channels";
const stored = (): string[] => {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
};
const seen = new Set(stored());

export function remember(name: string): void {
  if (seen.has(name)) return;
  seen.add(name);
  localStorage.setItem(key, JSON.stringify([...seen].slice(-500)));
}

onEvent(({ eventType, threadId, payload }) => {
  if (
    eventType === "message.sent" &&
    threadId === null &&
    typeof payload.to === "string" &&
    payload.to !== "*"
  )
    remember(payload.to);
});

export async function channelNames(): Promise<{ name: string; pending: number }[]> {
  const { agents } = await api.agents.list({});
  const known = new Map(agents.map(({ name, pending }) => [name, pending]));
  const others = [...seen].filter((name) => !known.has(name));
  const counts = await Promise.all(others.map((name) => api.messages.pending(name)));
  others.forEach((name, i) => {
    known.set(name, counts[i]!);
  });
  return [...known]
    .map(([name, pending]) => ({ name, pending }))
    .sort((a, b) => Number(b.pending > 0) - Number(a.pending > 0) || a.name.localeCompare(b.name));
}
