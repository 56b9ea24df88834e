/**
 * What happens on the bus, in every window. A browser opens only six connections to one address, so the windows share one:
 * whoever holds the lock follows the events and tells the others, and when it is closed the next goes on where it was.
 */
import { effect } from "@preact/signals";
import type { Event } from "../../src/contract/event.ts";
import { api, locked } from "./api.ts";
import { type Line, line } from "./line.ts";

type Listener = (event: Event) => void;
type Told = { event: Event } | { line: Line } | { ask: true };

const listeners = new Set<Listener>();
const reloads = new Set<() => void>();
/** Whether the hub was asked once where the events begin. */
let begun = false;
let last: number | undefined;

export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Called when the page has asked where the events begin, and when the line to the hub is back. The events that were missed
 * come by themselves; what is not in events has to be loaded again.
 */
export function onReload(listener: () => void): () => void {
  reloads.add(listener);
  return () => reloads.delete(listener);
}

/** Before this, whatever is loaded may be older than the first event that is heard. */
export const hasBegun = () => begun;

function reload(): void {
  for (const listener of reloads) listener();
}

function take(event: Event): void {
  if (last !== undefined && event.eventId <= last) return;
  last = event.eventId;
  for (const listener of listeners) listener(event);
}

async function lead(channel: BroadcastChannel): Promise<void> {
  effect(() => channel.postMessage({ line: line.value } satisfies Told));
  channel.addEventListener("message", ({ data }: MessageEvent<Told>) => {
    if ("ask" in data) channel.postMessage({ line: line.peek() } satisfies Told);
  });
  while (locked.peek() === undefined) {
    try {
      for await (const event of api.events.follow(last === undefined ? {} : { afterEvent: last })) {
        take(event);
        channel.postMessage({ event } satisfies Told);
      }
    } catch (error) {
      // [Y3] This window slept for longer than events are kept: what it shows has to be loaded anew.
      if ((error as { code?: string }).code === "cursor_expired") location.reload();
      line.value = "lost"; // refused, not cut: a hub that is starting, or a proxy in between
    }
    await new Promise((done) => setTimeout(done, 1000));
  }
}

/** The windows of one browser share what the leading one hears. */
function joinWindows(): BroadcastChannel {
  const channel = new BroadcastChannel("inbox-events");
  channel.addEventListener("message", ({ data }: MessageEvent<Told>) => {
    if ("event" in data) take(data.event);
    if ("line" in data) line.value = data.line;
  });
  channel.postMessage({ ask: true } satisfies Told);
  return channel;
}

/** Asks where the events begin. From there on nothing is missed: whatever is loaded afterwards is at least as new. */
async function findStart(): Promise<boolean> {
  const answer = await api.events.watch({ timeoutSeconds: 0, limit: 1 }).catch(() => undefined);
  if (answer) last = Math.max(last ?? 0, answer.nextEventId);
  const first = !begun;
  begun = true;
  if (answer || first) reload(); // also after the first failure: whatever is shown has to say why it is not there
  return answer !== undefined;
}

export async function begin(): Promise<void> {
  let before: Line = "connecting";
  effect(() => {
    if (before === "lost" && line.value === "open") queueMicrotask(reload);
    before = line.value;
  });
  const channel = joinWindows();
  while (!(await findStart())) {
    if (locked.peek() !== undefined) return;
    await new Promise((done) => setTimeout(done, 2000));
  }
  // Without a secure address there are no locks: every window follows by itself.
  if (navigator.locks) void navigator.locks.request("inbox-events", () => lead(channel));
  else void lead(channel);
}
