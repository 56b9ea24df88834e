/** What a person does with entries. The page shows the change at once, and reverts it if the hub refuses. */
import { batch } from "@preact/signals";
import { plural } from "../../src/contract/plural.ts";
import { say } from "../ui/toasts.tsx";
import { undoable } from "../ui/undo.ts";
import { api, problemOf } from "./api.ts";
import { drop, type Entry, patch, putBack, settling } from "./entries.ts";
import { echoed, inTurn } from "./own-writes.ts";

const setOf = (entries: readonly Entry[]) => new Set(entries.map(({ id }) => id));
const many = (count: number) => (count === 1 ? "1 entry" : `${count} entries`);

/** The writes to one entry, each with the event that tells of it. */
const write = {
  read: (id: string) => echoed(id, { eventType: "entry.read" }, api.entries.read({ id })),
  unread: (id: string) => echoed(id, { eventType: "entry.unread" }, api.entries.unread({ id })),
  delete: (id: string) => echoed(id, { eventType: "entry.deleted" }, api.entries.delete({ id })),
  restore: (id: string) => echoed(id, { eventType: "entry.restored" }, api.entries.restore({ id })),
  archive: (id: string) =>
    echoed(id, { eventType: "entry.archived", before: ["entry.read"] }, api.entries.archive({ id })),
  snooze: (id: string, until?: string) =>
    echoed(id, { eventType: "entry.snoozed" }, api.entries.snooze({ id, ...(until && { until }) })),
  unarchive: (id: string) => echoed(id, { eventType: "entry.unarchived" }, api.entries.unarchive({ id })),
  unsnooze: (id: string) => echoed(id, { eventType: "entry.unsnoozed" }, api.entries.unsnooze({ id })),
};

const each = (entries: readonly Entry[], call: (id: string) => Promise<unknown>) =>
  entries.map(({ id }) => inTurn(id, call));

async function attempt(what: string, work: Promise<unknown>[], undo: () => void): Promise<boolean> {
  const settled = Promise.allSettled(work);
  settling(settled);
  const results = await settled;
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
  await attempt("Not marked as read", each(open, write.read), restoring(open));
}

export async function markUnread(entries: readonly Entry[]): Promise<void> {
  const read = entries.filter(({ readAt }) => readAt !== null);
  if (!read.length) return;
  patch(setOf(read), { readAt: null });
  await attempt("Not marked as unread", each(read, write.unread), restoring(read));
}

export async function remove(entries: readonly Entry[]): Promise<void> {
  if (!entries.length) return;
  drop(setOf(entries));
  const forget = undoable({ text: `Deleted ${many(entries.length)}`, undo: () => restore(entries) });
  const done = await attempt("Not deleted", each(entries, write.delete), () => putBack(entries));
  if (!done) forget();
}

function restore(entries: readonly Entry[]): void {
  putBack(entries);
  void attempt("Not restored", each(entries, write.restore), () => drop(setOf(entries)));
}

const stampNow = () => new Date().toISOString();
const placeOf = ({ id, archivedAt, snoozedAt, snoozedUntil, readAt }: Entry) => ({
  id,
  was: { archivedAt, snoozedAt, snoozedUntil, readAt },
});

interface Move {
  now: Partial<Entry>;
  text: string;
  detail?: string;
  call(id: string): Promise<unknown>;
}

/** Moves entries to another folder at once, with a way back to where each was. */
async function moveAway(entries: readonly Entry[], { now, text, detail, call }: Move): Promise<void> {
  if (!entries.length) return;
  const before = entries.map(placeOf);
  const showBefore = () =>
    batch(() => {
      putBack(entries);
      for (const { id, was } of before) patch(new Set([id]), was);
    });
  patch(setOf(entries), now);
  const forget = undoable({
    text,
    detail,
    seconds: 20,
    undo: () => {
      showBefore();
      void attempt(
        "Not undone",
        before.map((one) => inTurn(one.id, () => backTo(one, now))),
        () => patch(setOf(entries), now),
      );
    },
  });
  const done = await attempt(text, each(entries, call), showBefore);
  if (!done) forget();
}

/** `now`: where it was moved to. */
async function backTo({ id, was }: ReturnType<typeof placeOf>, now: Partial<Entry>): Promise<void> {
  if (was.archivedAt !== null) await write.archive(id);
  else if (was.snoozedAt !== null) await write.snooze(id, was.snoozedUntil ?? undefined);
  else if (now.archivedAt) await write.unarchive(id);
  else await write.unsnooze(id);
  if (was.readAt === null) await write.unread(id);
}

const awake = { snoozedAt: null, snoozedUntil: null };

/** To be done with a question is not to answer it. */
const unanswered = (questions: number) =>
  questions ? `${plural(questions, "question")} not answered. Whoever asked still waits.` : undefined;

export const archive = (entries: readonly Entry[]) =>
  moveAway(entries, {
    now: { archivedAt: stampNow(), readAt: stampNow(), ...awake },
    text: `Done with ${many(entries.length)}`,
    detail: unanswered(entries.filter(({ needs }) => needs === "answer").length),
    call: write.archive,
  });

/** Back into the inbox, from the archive or from sleep. */
export const bringBack = (entries: readonly Entry[]) =>
  moveAway(entries, {
    now: { archivedAt: null, ...awake },
    text: `Moved ${many(entries.length)} to the inbox`,
    call: async (id) => {
      await write.unarchive(id);
      await write.unsnooze(id);
    },
  });

/** `until`: undefined means until something new comes. */
export const snooze = (entries: readonly Entry[], when: string, until?: Date) =>
  moveAway(entries, {
    now: { archivedAt: null, snoozedAt: stampNow(), snoozedUntil: until?.toISOString() ?? null },
    text: `Snoozed ${many(entries.length)} ${when}`,
    call: (id) => write.snooze(id, until?.toISOString()),
  });

type Muted = { name: string } | { thread: string };

/** What comes of it goes to the archive from now on. */
export async function mute(muted: Muted, words: string): Promise<void> {
  const forget = undoable({
    text: `Muted ${words}`,
    seconds: 20,
    undo: () => void attempt("Not unmuted", [api.mutes.remove(muted)], () => {}),
  });
  if (!(await attempt("Not muted", [api.mutes.add(muted)], () => {}))) forget();
}

/** All that the list shows, and what is below it; not what has come since. */
export async function readAll(workspaceId: string | undefined, newest: Entry | undefined): Promise<void> {
  if (!newest) return;
  await attempt(
    "Not marked as read",
    [
      api.entries
        .readAll({ upTo: newest.id, ...(workspaceId && { workspaceId }) })
        .then(({ read }) => say({ text: `Marked ${many(read)} as read` })),
    ],
    () => {},
  );
}

export interface Reply {
  message?: string;
  choice?: string;
  /** In place of the answer that was given before. */
  change?: boolean;
}

/** The same answer to several questions. */
export async function answerAll(entries: readonly Entry[], reply: Reply): Promise<boolean> {
  const answered = entries.map(async ({ id }) => patchAnswer(await api.entries.reply({ id, ...reply })));
  const done = await attempt("Not all were answered", answered, () => {});
  if (done) say({ text: `Answered ${many(entries.length)} with “${reply.choice ?? reply.message}”` });
  return done;
}

/** Only what the answer changes: the entry may have been archived meanwhile. */
function patchAnswer({ entry }: { entry: Entry }): void {
  const { id, answer, answeredAt, answeredBy, needs, readAt } = entry;
  patch(new Set([id]), { answer, answeredAt, answeredBy, needs, readAt });
}

export async function answer(entry: Entry, reply: Reply): Promise<boolean> {
  return attempt(
    "Not sent",
    [
      api.entries.reply({ id: entry.id, ...reply }).then(({ entry: now, message, recipient }) => {
        patchAnswer({ entry: now });
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
