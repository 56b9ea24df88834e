/** Every hot query walks an index: its plan has no scan of a table that grows, and no sort of what grows. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { candidates, nextLapse } from "../../src/bus/candidates.ts";
import { chosenLetters } from "../../src/bus/dead-letter.ts";
import { eraseDue, nextErasure } from "../../src/bus/entry.ts";
import { wakeSnoozed, whereMuted } from "../../src/bus/entry-folder.ts";
import { entriesAfter, erasedAfter } from "../../src/bus/entry-journal.ts";
import { collect } from "../../src/bus/hand-over/collect.ts";
import { agentsList } from "../../src/bus/procedures/agents-list.ts";
import { deadLettersList } from "../../src/bus/procedures/dead-letters-list.ts";
import { entriesChanges } from "../../src/bus/procedures/entries-changes.ts";
import { entriesCounts } from "../../src/bus/procedures/entries-counts.ts";
import { entriesHistory } from "../../src/bus/procedures/entries-history.ts";
import { entriesRead } from "../../src/bus/procedures/entries-read.ts";
import { entriesReadAll } from "../../src/bus/procedures/entries-read-all.ts";
import { entriesSeen } from "../../src/bus/procedures/entries-seen.ts";
import { eventsAfter } from "../../src/bus/procedures/events-watch.ts";
import { answers } from "../../src/bus/procedures/mailbox-gather.ts";
import { tasksQueue } from "../../src/bus/procedures/tasks-queue.ts";
import { threadsCancel } from "../../src/bus/procedures/threads-cancel.ts";
import { threadsClaim } from "../../src/bus/procedures/threads-claim.ts";
import { threadsDone } from "../../src/bus/procedures/threads-done.ts";
import { threadsList } from "../../src/bus/procedures/threads-list.ts";
import { threadsReply } from "../../src/bus/procedures/threads-reply.ts";
import { threadsShow } from "../../src/bus/procedures/threads-show.ts";
import { threadsUpdate } from "../../src/bus/procedures/threads-update.ts";
import { replies, replyStart } from "../../src/bus/procedures/threads-wait-reply.ts";
import { deletions } from "../../src/bus/retention/delete.ts";
import { duePage, skipNewest } from "../../src/bus/retention/due.ts";
import { kindsOn } from "../../src/bus/retention/kinds.ts";
import { dueInTopic, skipNewestOf } from "../../src/bus/retention/topics.ts";
import { forgetOldSeen, forgetSeenIn } from "../../src/bus/seen-document.ts";
import { keptTasks } from "../../src/bus/tasks/keep.ts";
import { startDue } from "../../src/bus/tasks/start.ts";
import { supervisionNow } from "../../src/bus/tasks/supervision-now.ts";
import { Facts } from "../../src/engines/facts.ts";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { contextOf, nothingNoted } from "../../src/engines/sqlite/drive.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { type Context, type Procedure, type Row, Several } from "../../src/sql/procedure.ts";
import type { Sql } from "../../src/sql/sql.ts";
import { temporaryFolder } from "../support/folder.ts";

const thread = "thr_1";
const now = new Date().toISOString();
const entry = "0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11";
const workspaceId = "ws-abc123";
const held = { agent: "w", thread, artifacts: [] };

const plain = { needsYou: false, folder: "inbox" as const };
const gc = kindsOn("here");
const range = { cut: { at: now, ref: 9 }, after: { at: "2020", ref: 1 } };

const hot: Record<string, (tx: Context) => Procedure<unknown>> = {
  fetch: () => candidates({ names: ["w", "pool"], statuses: ["pending", "blocked"], limit: 50 }, now),
  "fetch --unread": () => candidates({ names: ["w"], statuses: ["pending"], unreadBy: "w", limit: 50 }, now),
  "claim --wait": () => nextLapse(["w", "pool"], now),
  "claim a thread": (tx) => threadsClaim(tx, { agent: "w", thread, leaseSeconds: 9 }),
  "claim the best": (tx) => threadsClaim(tx, { agent: "v", leaseSeconds: 9 }),
  show: (tx) => threadsShow(tx, { thread, markRead: false }),
  "show --mark-read": (tx) => collect(tx, { agent: "w", thread, messages: ["msg_1"], read: true }),
  "wait-reply": () => replyStart({ thread, agent: "w", kinds: ["answer"] }),
  "wait-reply --after-event": () => replyStart({ thread, agent: "w", kinds: ["answer"], afterEvent: 5 }),
  "wait-reply, again": (tx) =>
    replies(tx, { thread: 1, waiter: "w", afterMessage: 0 }, ["answer"], { agent: "w", id: "x" }),
  reply: (tx) =>
    threadsReply(tx, { from: "lead", thread, kind: "answer", summary: "s", strict: false, artifacts: [] }),
  update: (tx) => threadsUpdate(tx, { ...held, status: "in_progress" }),
  watch: (tx) => eventsAfter(tx, 0, { limit: 50 }),
  "watch --thread": (tx) => eventsAfter(tx, 0, { thread, limit: 50 }),
  list: (tx) => threadsList(tx, { leases: true, limit: 50 }),
  "list --agent": (tx) => threadsList(tx, { leases: true, agent: "w", limit: 50 }),
  "list --agent --run": (tx) => threadsList(tx, { leases: true, agent: "w", run: "r", limit: 50 }),
  "list --assigned-to": (tx) => threadsList(tx, { leases: true, assignedTo: "w", limit: 50 }),
  "dlq list": (tx) => deadLettersList(tx, { limit: 50 }),
  "dlq list --channel": (tx) => deadLettersList(tx, { channel: "w", limit: 50 }),
  "dlq requeue --channel": (tx) => chosenLetters(tx, { agent: "w", channel: "w" }, tx.time() as string),
  "list --run": (tx) => threadsList(tx, { leases: true, run: "r", limit: 50 }),
  "list --status": (tx) => threadsList(tx, { leases: true, status: ["done", "failed"], limit: 50 }),
  "list --created-by --status": (tx) =>
    threadsList(tx, { leases: true, createdBy: "w", status: ["done"], limit: 50 }),
  "list --assigned-to --status": (tx) =>
    threadsList(tx, { leases: true, assignedTo: "w", status: ["done"], limit: 50 }),
  "list --run --status": (tx) => threadsList(tx, { leases: true, run: "w", status: ["done"], limit: 50 }),
  done: (tx) => threadsDone(tx, held),
  cancel: (tx) => threadsCancel(tx, { agent: "lead", thread: "thr_2", artifacts: [] }),
  agents: (tx) => agentsList(tx, new Set()),
  queue: (tx) => tasksQueue(tx, { agent: "lead", all: false, limit: 50 }),
  "queue --all": (tx) => tasksQueue(tx, { all: true, limit: 50 }),
  "whether anybody must supervise": (tx) => supervisionNow(tx, () => false),
  "which tasks are kept": (tx) => keptTasks(tx),
  "what is due": (tx) => startDue(tx, "here", { all: 5, of: new Map([["p", { shared: "p", most: 1 }]]) }),
  gather: (tx) => answers(tx, { agent: "lead", from: ["a", "b"] }),
  history: (tx) => entriesHistory(tx, { ...plain, limit: 50, unread: false }),
  "history --before": (tx) => entriesHistory(tx, { ...plain, limit: 50, before: entry, unread: false }),
  "history --workspace-id": (tx) =>
    entriesHistory(tx, { ...plain, limit: 50, workspaceId, before: entry, unread: false }),
  "history --unread": (tx) => entriesHistory(tx, { ...plain, limit: 50, before: entry, unread: true }),
  "history --unread --workspace-id": (tx) =>
    entriesHistory(tx, { ...plain, limit: 50, workspaceId, unread: true }),
  "history --needs-you": (tx) => entriesHistory(tx, { ...plain, limit: 50, unread: false, needsYou: true }),
  "history --folder archive": (tx) =>
    entriesHistory(tx, { ...plain, limit: 50, unread: false, folder: "archive" }),
  "history --folder snoozed": (tx) =>
    entriesHistory(tx, { ...plain, limit: 50, unread: false, folder: "snoozed" }),
  "entries counts": (tx) => entriesCounts(tx, {}),
  "entries read-all": (tx) => entriesReadAll(tx, { agent: "user" }),
  "what wakes": (tx) => wakeSnoozed(tx, { sender: "w", thread_id: null }, now),
  "whether it is muted": () => whereMuted("w", 1, now),
  "entries changes": (tx) => entriesChanges(tx, entry),
  "entries seen": (tx) =>
    entriesSeen(tx, { id: entry, agent: "user", documents: [{ path: "a", text: "b" }] }),
  "forgetting what was read in an entry": () => forgetSeenIn(entry),
  "forgetting what was read longest ago": () => forgetOldSeen(),
  "entries read": (tx) => entriesRead(tx, { id: entry, agent: "user" }),
  "erasing what is due": (tx) => eraseDue(tx, now),
  "when to erase": () => nextErasure(),
  "gc, entries": (tx) => duePage(tx, gc.entries, range),
  "gc, transcripts": (tx) => duePage(tx, gc.transcripts, range),
  "gc, tasks": (tx) => duePage(tx, gc.tasks, range),
  "gc, threads": (tx) => duePage(tx, gc.threads, range),
  "gc, mail": (tx) => duePage(tx, gc.mail, range),
  "gc, topics": (tx) => dueInTopic(tx, { channel: "builds", now, before: now, upTo: 0 }, 1),
  "gc, the newest of a topic": (tx) => skipNewestOf(tx, { channel: "builds", now }, 9, 5),
  "gc, dead letters": (tx) => duePage(tx, gc["dead-letters"], range),
  "gc, expired": (tx) => duePage(tx, gc.expired, range),
  "gc, the newest that stay": (tx) => skipNewest(tx, gc.mail, { from: { at: now, ref: 9 }, left: 100 }),
  "gc, deleting a thread": (tx) => deletions.threads(tx, [1], now),
  "what the journal lacks": () => entriesAfter(5),
  "what the journal has too much": () => erasedAfter(5),
};

test("[G7] no condition of an index makes a table of its values with every write", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path);
  const db = new Database(path);
  const indexes = db.query("select sql from sqlite_schema where type = 'index' and sql is not null").all();
  db.close();
  // SQLite compares with two values one by one; for more it makes a table, in each write of such a row.
  const lists = (indexes as { sql: string }[]).flatMap((index) => index.sql.match(/ in \([^)]*\)/gi) ?? []);
  expect(lists.filter((list) => list.split(",").length > 2)).toEqual([]);
});

/** Small by nature: one row an agent, an agent and pool, or a kind. */
const small = /SCAN (agents|pool_members|quotas|retention|search_progress)/;
/** A sort of at most `limit` rows of each part of a union, or of what one thread or message has. */
const bounded =
  /SCAN (s|l|page|either|found|\(subquery-\d+\))|USE TEMP B-TREE FOR ORDER BY|CO-ROUTINE|MATERIALIZE/;

for (const [name, work] of Object.entries(hot))
  test(`[G7] ${name} uses an index`, async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "coord.db");
    createDatabase(path);
    const inbox = openInbox(path);
    for (const to of ["w", "w", "v"]) await inbox.call("threads.send", { from: "lead", to, subject: "s" });
    await inbox.call("threads.claim", { agent: "w", thread });
    await inbox.call("entries.import", { entries: [{ id: entry, ts: 1, comments: "x" }] });
    await inbox.close();
    const db = new Database(path);
    const procedure = work(contextOf(Date.now, new Facts(), { noted: nothingNoted() }));
    let looked = 0;
    const answer = (statement: Sql): Row[] => {
      const { text, values } = statement.flatten(() => "?");
      const plan = db.query(`explain query plan ${text}`).all(...values) as { detail: string }[];
      for (const { detail } of plan) {
        // A page of what is old is found without looking at all of it.
        if (name.startsWith("gc, ") && text.includes(" limit "))
          expect(`${detail} in ${text}`).not.toContain("TEMP B-TREE FOR ORDER BY");
        if (name.includes(" --status") && !name.startsWith("list --status"))
          expect(detail).not.toContain("threads_status");
        if (!detail.startsWith("SCAN") || small.test(detail) || bounded.test(detail)) continue;
        // [U15] Of a few hundred documents, in the order of their time.
        if (detail.startsWith("SCAN kept USING COVERING INDEX seen_documents_age")) continue;
        // Those that ended last are found by the order in which they ended.
        if (detail.startsWith("SCAN tasks USING INDEX tasks_ended") && text.includes("finished_at desc"))
          continue;
        // The folders of the history have an index each that has nothing else.
        if (/^SCAN entries USING INDEX entries_(needs|archived|snoozed)$/.test(detail)) {
          expect(text).toMatch(/needs is not null|archived_at is not null|snoozed_at is not null/);
          continue;
        }
        // Those that are marked as read together are all that are unread.
        if (
          detail.startsWith("SCAN entries USING INDEX entries_unread") &&
          text.includes("update entries set read_at")
        )
          continue;
        // The history is walked in the order of its time, and the unread ones by an index that has no others.
        if (/^SCAN entries USING (COVERING )?INDEX entries_(time|unread|deleted)/.test(detail)) {
          expect(text).toMatch(
            /order by entries.created_at desc.* limit|min\(entries.deleted_at\)|deleted_at is not null/s,
          );
          continue;
        }
        // Walking a whole table is right only in the order of its key and up to a limit.
        if (/^SCAN (threads|events)$/.test(detail))
          expect(text).toMatch(/order by +(threads.thread_id desc|events.event_id) +limit/);
        // `names` are found one from the other in the index, up to a limit; pages, and what is the newest, were limited before.
        else
          expect(`${detail} in ${text}`).toMatch(
            /^SCAN (ids|counted|names|newest|pages?|parts?|(\d+ )?CONSTANT ROW)/,
          );
      }
      looked += plan.length;
      return db.query(text).all(...values) as Row[];
    };
    let step = procedure.next();
    while (!step.done) {
      const asked = step.value;
      const rows = asked instanceof Several ? asked.statements.map(answer) : answer(asked);
      step = procedure.next(rows as Row[]);
    }
    expect(looked).toBeGreaterThan(0);
    db.close();
  });
