/** What a person does with entries. The page shows the change at once, and reverts it if the hub refuses. */
import { batch } from "@preact/signals";
import { say } from "../ui/toasts.tsx";
import { undoable } from "../ui/undo.ts";
import { api, problemOf } from "./api.ts";
import { drop, type Entry, patch, putBack } from "./entries.ts";

const setOf = (entries: readonly Entry[]) => new Set(entries.map(({ id }) => id));
const many = (count: number) => (count === 1 ? "entry" : `${count} entries`);

async function attempt(what: string, work: Promise<unknown>[], undo: () => void): Promise<boolean> {
  const results = await Promise.allSettled(work);
  const failed = results.find((result) => result.status === "rejected");
  if (!failed) return true;
  undo();
  const { message, hint } = problemOf(failed.reason);
  say({ text: `${what}: ${message}`, detail: hint, tone: "bad" });
  return false;
}

const restoring = (entries: readonly Entry[]) => () =>
  batch(() => {
    for (const { id, readAt } of entries) patch(new Set([id]), { readAt });
  });

export async function markRead(entries: readonly Entry[]): Promise<void> {
  const open = entries.filter(({ readAt }) => readAt === null);
  if (!open.length) return;
  patch(setOf(open), { readAt: new Date().toISOString() });
  await attempt(
    "Not marked as read",
    open.map(({ id }) => api.entries.read({ id })),
    restoring(open),
  );
}

export async function markUnread(entries: readonly Entry[]): Promise<void> {
  const read = entries.filter(({ readAt }) => readAt !== null);
  if (!read.length) return;
  patch(setOf(read), { readAt: null });
  await attempt(
    "Not marked as unread",
    read.map(({ id }) => api.entries.unread({ id })),
    restoring(read),
  );
}

export async function remove(entries: readonly Entry[]): Promise<void> {
  if (!entries.length) return;
  drop(setOf(entries));
  const forget = undoable({ text: `Deleted ${many(entries.length)}`, undo: () => restore(entries) });
  const done = await attempt(
    "Not deleted",
    entries.map(({ id }) => api.entries.delete({ id })),
    () => putBack(entries),
  );
  if (!done) forget();
}

function restore(entries: readonly Entry[]): void {
  putBack(entries);
  void attempt(
    "Not restored",
    entries.map(({ id }) => api.entries.restore({ id })),
    () => drop(setOf(entries)),
  );
}

export async function answer(entry: Entry, reply: { message?: string; choice?: string }): Promise<boolean> {
  return attempt(
    "Not sent",
    [
      api.entries.reply({ id: entry.id, ...reply }).then(({ entry: now, message, recipient }) => {
        patch(new Set([entry.id]), now);
        say({
          text: `Sent to ${message.toAgent}`,
          detail: recipient.known
            ? recipient.hint
            : "No agent with this name has been seen yet; the message is kept until it asks.",
        });
      }),
    ],
    () => {},
  );
}
