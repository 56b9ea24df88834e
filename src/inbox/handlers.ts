/** What each operation of the bus does: one line per operation. Those that show messages hand them over first. */

import { onlyOnce } from "../bus/idempotency.ts" with { load: "when-called" };
import type { Keyed } from "../bus/idempotency.ts";
import { plainEnd } from "../bus/plain/end.ts" with { load: "when-called" };
import { plainChannelMessage, plainMail } from "../bus/plain/post.ts" with { load: "when-called" };
import { plainThread } from "../bus/plain/thread.ts" with { load: "when-called" };
import { agentsList } from "../bus/procedures/agents-list.ts" with { load: "when-called" };
import { auditList } from "../bus/procedures/audit-list.ts" with { load: "when-called" };
import { costsSet } from "../bus/procedures/costs-set.ts" with { load: "when-called" };
import { costsShow } from "../bus/procedures/costs-show.ts" with { load: "when-called" };
import { deadLettersList } from "../bus/procedures/dead-letters-list.ts" with { load: "when-called" };
import { deadLettersPurge } from "../bus/procedures/dead-letters-purge.ts" with { load: "when-called" };
import { deadLettersRequeue } from "../bus/procedures/dead-letters-requeue.ts" with { load: "when-called" };
import { deadLettersShow } from "../bus/procedures/dead-letters-show.ts" with { load: "when-called" };
import { entriesArchive } from "../bus/procedures/entries-archive.ts" with { load: "when-called" };
import { entriesCounts } from "../bus/procedures/entries-counts.ts" with { load: "when-called" };
import { entriesDelete } from "../bus/procedures/entries-delete.ts" with { load: "when-called" };
import { entriesExport } from "../bus/procedures/entries-export.ts" with { load: "when-called" };
import { entriesHistory } from "../bus/procedures/entries-history.ts" with { load: "when-called" };
import { entriesImport } from "../bus/procedures/entries-import.ts" with { load: "when-called" };
import { entriesRead } from "../bus/procedures/entries-read.ts" with { load: "when-called" };
import { entriesReadAll } from "../bus/procedures/entries-read-all.ts" with { load: "when-called" };
import { entriesReply } from "../bus/procedures/entries-reply.ts" with { load: "when-called" };
import { entriesRestore } from "../bus/procedures/entries-restore.ts" with { load: "when-called" };
import { entriesSnooze } from "../bus/procedures/entries-snooze.ts" with { load: "when-called" };
import { entriesUnarchive } from "../bus/procedures/entries-unarchive.ts" with { load: "when-called" };
import { entriesUnread } from "../bus/procedures/entries-unread.ts" with { load: "when-called" };
import { entriesUnsnooze } from "../bus/procedures/entries-unsnooze.ts" with { load: "when-called" };
import { mailboxAnswer } from "../bus/procedures/mailbox-answer.ts" with { load: "when-called" };
import { mailboxAsk } from "../bus/procedures/mailbox-ask.ts" with { load: "when-called" };
import { mailboxList } from "../bus/procedures/mailbox-list.ts" with { load: "when-called" };
import { mailboxSend } from "../bus/procedures/mailbox-send.ts" with { load: "when-called" };
import { messagesAck } from "../bus/procedures/messages-ack.ts" with { load: "when-called" };
import { messagesAckAll } from "../bus/procedures/messages-ack-all.ts" with { load: "when-called" };
import { messagesChannels } from "../bus/procedures/messages-channels.ts" with { load: "when-called" };
import { messagesGc } from "../bus/procedures/messages-gc.ts" with { load: "when-called" };
import { messagesInbox } from "../bus/procedures/messages-inbox.ts" with { load: "when-called" };
import { messagesPending } from "../bus/procedures/messages-pending.ts" with { load: "when-called" };
import { messagesRead } from "../bus/procedures/messages-read.ts" with { load: "when-called" };
import { messagesReaders } from "../bus/procedures/messages-readers.ts" with { load: "when-called" };
import { messagesReplies } from "../bus/procedures/messages-replies.ts" with { load: "when-called" };
import { messagesSend } from "../bus/procedures/messages-send.ts" with { load: "when-called" };
import { messagesStatus } from "../bus/procedures/messages-status.ts" with { load: "when-called" };
import { mutesAdd } from "../bus/procedures/mutes-add.ts" with { load: "when-called" };
import { mutesList } from "../bus/procedures/mutes-list.ts" with { load: "when-called" };
import { mutesRemove } from "../bus/procedures/mutes-remove.ts" with { load: "when-called" };
import { notificationsAdd } from "../bus/procedures/notifications-add.ts" with { load: "when-called" };
import { notificationsKey } from "../bus/procedures/notifications-key.ts" with { load: "when-called" };
import { notificationsRemove } from "../bus/procedures/notifications-remove.ts" with { load: "when-called" };
import { poolsJoin } from "../bus/procedures/pools-join.ts" with { load: "when-called" };
import { poolsLeave } from "../bus/procedures/pools-leave.ts" with { load: "when-called" };
import { poolsList } from "../bus/procedures/pools-list.ts" with { load: "when-called" };
import { poolsRemove } from "../bus/procedures/pools-remove.ts" with { load: "when-called" };
import { quotasList } from "../bus/procedures/quotas-list.ts" with { load: "when-called" };
import { quotasSet } from "../bus/procedures/quotas-set.ts" with { load: "when-called" };
import { retentionSet } from "../bus/procedures/retention-set.ts" with { load: "when-called" };
import { retentionShow } from "../bus/procedures/retention-show.ts" with { load: "when-called" };
import { statsShow } from "../bus/procedures/stats-show.ts" with { load: "when-called" };
import { tasksKill } from "../bus/procedures/tasks-kill.ts" with { load: "when-called" };
import { tasksMove } from "../bus/procedures/tasks-move.ts" with { load: "when-called" };
import { tasksQueue } from "../bus/procedures/tasks-queue.ts" with { load: "when-called" };
import { tasksRemove } from "../bus/procedures/tasks-remove.ts" with { load: "when-called" };
import { tasksReport } from "../bus/procedures/tasks-report.ts" with { load: "when-called" };
import { tasksRun } from "../bus/procedures/tasks-run.ts" with { load: "when-called" };
import { tasksShow } from "../bus/procedures/tasks-show.ts" with { load: "when-called" };
import { threadsCancel } from "../bus/procedures/threads-cancel.ts" with { load: "when-called" };
import { threadsDone } from "../bus/procedures/threads-done.ts" with { load: "when-called" };
import { threadsFail } from "../bus/procedures/threads-fail.ts" with { load: "when-called" };
import { threadsFetch } from "../bus/procedures/threads-fetch.ts" with { load: "when-called" };
import { threadsList } from "../bus/procedures/threads-list.ts" with { load: "when-called" };
import { threadsReassign } from "../bus/procedures/threads-reassign.ts" with { load: "when-called" };
import { threadsRelease } from "../bus/procedures/threads-release.ts" with { load: "when-called" };
import { threadsRenew } from "../bus/procedures/threads-renew.ts" with { load: "when-called" };
import { threadsReply } from "../bus/procedures/threads-reply.ts" with { load: "when-called" };
import { threadsSend } from "../bus/procedures/threads-send.ts" with { load: "when-called" };
import { threadsUpdate } from "../bus/procedures/threads-update.ts" with { load: "when-called" };
import { tokensCreate } from "../bus/procedures/tokens-create.ts" with { load: "when-called" };
import { tokensList } from "../bus/procedures/tokens-list.ts" with { load: "when-called" };
import { tokensRevoke } from "../bus/procedures/tokens-revoke.ts" with { load: "when-called" };
import { workspacesAdd } from "../bus/procedures/workspaces-add.ts" with { load: "when-called" };
import { workspacesEdit } from "../bus/procedures/workspaces-edit.ts" with { load: "when-called" };
import { workspacesList } from "../bus/procedures/workspaces-list.ts" with { load: "when-called" };
import { workspacesRemove } from "../bus/procedures/workspaces-remove.ts" with { load: "when-called" };
import type { OperationName, OutputOf, ParsedOf } from "../contract/operations/index.ts";
import type { Engine } from "../engines/engine.ts";
import { hasDied } from "../orch/holder.ts" with { load: "when-called" };
import { newToken, tokenHash } from "../platform/token-text.ts";
import type { PlainCase } from "../sql/plain.ts";
import type { Context, Procedure, Refused } from "../sql/procedure.ts";
import { watch } from "../waiting/events-watch.ts" with { load: "when-called" };
import type { AnswerWithReceipt, Calling } from "../waiting/handed.ts";
import { mailboxCheck } from "../waiting/mailbox-check.ts" with { load: "when-called" };
import { mailboxDecide } from "../waiting/mailbox-decide.ts" with { load: "when-called" };
import { mailboxGather } from "../waiting/mailbox-gather.ts" with { load: "when-called" };
import { mailboxReceive } from "../waiting/mailbox-receive.ts" with { load: "when-called" };
import { mailboxWait } from "../waiting/mailbox-wait.ts" with { load: "when-called" };
import { messagesWait } from "../waiting/messages-wait.ts" with { load: "when-called" };
import { abortSignalOf } from "./abort-signal.ts";
import { committing, type Here, handClaim, handEntry, handReply, handShow, plainly } from "./hand-over.ts";
import { search } from "./search.ts" with { load: "when-called" };
import { handOff, orch, supervised } from "./supervised.ts";

/** Operations on the bus; those about the database itself are in admin/operations.ts. */
export type BusOperation = Exclude<OperationName, `bus.${string}`>;

type Handler<N extends BusOperation> = (
  engine: Engine,
  input: ParsedOf<N>,
  call: Calling,
  place: Here,
) => Promise<AnswerWithReceipt<OutputOf<N>>>;

/** Loaded when needed: they import modules that no other command needs. */
const retention = () => require("./retention-apply.ts") as typeof import("./retention-apply.ts");
const taskFiles = () => require("../orch/task-files.ts") as typeof import("../orch/task-files.ts");
const transcripts = () =>
  require("../orch/operations/tasks-log.ts") as typeof import("../orch/operations/tasks-log.ts");
const entryPush = () => require("./entries-push.ts") as typeof import("./entries-push.ts");
const seen = () => require("./seen-documents.ts") as typeof import("./seen-documents.ts");
const folders = () => require("../documents/bus-files.ts") as typeof import("../documents/bus-files.ts");

const reads =
  <N extends BusOperation>(
    procedure: (tx: Context, input: ParsedOf<N>) => Procedure<OutputOf<N>>,
  ): Handler<N> =>
  (engine, input) =>
    engine.read((tx) => procedure(tx, input)).then(plainly);

type Work<T> = (tx: Context) => Procedure<T | Refused>;

/** A write with a key has no plain case. */
const written = <T>(engine: Engine, keyed: Keyed | undefined, work: Work<T>, plain?: PlainCase<T>) =>
  engine
    .write<T>(
      (tx) => (keyed ? onlyOnce(tx, keyed, () => work(tx)) : work(tx)),
      keyed ? { repeatable: true } : { plain },
    )
    .then(plainly);

const writes =
  <N extends BusOperation>(
    procedure: (tx: Context, input: ParsedOf<N>) => Procedure<OutputOf<N> | Refused>,
    plain?: (
      input: ParsedOf<N>,
      ...recall: Parameters<PlainCase<OutputOf<N>>>
    ) => ReturnType<PlainCase<OutputOf<N>>>,
  ): Handler<N> =>
  (engine, input, { keyed }) =>
    written(engine, keyed, (tx) => procedure(tx, input), plain && ((recall) => plain(input, recall)));

/** The answer of a write that was committed is found by repeating it: it has no effect twice. */
const ends =
  (procedure: typeof threadsDone, status: "done" | "failed"): Handler<"threads.done"> =>
  (engine, input, { keyed }) => {
    if (keyed) return written(engine, keyed, (tx) => procedure(tx, input));
    const found: Work<OutputOf<"threads.done">> = function* (tx) {
      const answer = yield* procedure(tx, input);
      if ("message" in answer) delete answer.already;
      return answer;
    };
    return engine
      .write((tx) => procedure(tx, input), {
        found,
        plain: (recall) => plainEnd({ input, status, again: found }, recall),
      })
      .then(plainly);
  };

export const handlers: { [N in BusOperation]: Handler<N> } = {
  "threads.send": writes(threadsSend, plainThread),
  "threads.reply": writes(threadsReply),
  "threads.renew": writes(threadsRenew),
  "threads.release": writes(threadsRelease),
  "threads.reassign": writes(threadsReassign),
  "threads.update": writes(threadsUpdate),
  "threads.done": ends(threadsDone, "done"),
  "threads.fail": ends(threadsFail, "failed"),
  "threads.cancel": writes(threadsCancel),
  "threads.fetch": reads(threadsFetch),
  "threads.list": reads(threadsList),
  "threads.claim": handClaim,
  "threads.show": handShow,
  "threads.waitReply": handReply,
  "mailbox.send": (engine, input, call, place) =>
    input.interrupt
      ? written(engine, call.keyed, orch().interruptWith(place, input))
      : writes<"mailbox.send">(mailboxSend, plainMail)(engine, input, call, place),
  "mailbox.ask": writes(mailboxAsk),
  "mailbox.decide": mailboxDecide,
  "mailbox.answer": writes(mailboxAnswer),
  "audit.list": reads(auditList),
  "mailbox.receive": mailboxReceive,
  "mailbox.check": mailboxCheck,
  "mailbox.wait": mailboxWait,
  "mailbox.gather": mailboxGather,
  "mailbox.list": reads(mailboxList),
  "messages.send": writes(messagesSend, plainChannelMessage),
  "messages.inbox": (engine, input) =>
    engine.read((tx) => messagesInbox(tx, input)).then((value) => committing(input, value)),
  "messages.wait": (engine, input, call) =>
    messagesWait(engine, input, call).then((value) => committing(input, value)),
  "messages.read": reads(messagesRead),
  "messages.ack": writes(messagesAck),
  "messages.ackAll": writes(messagesAckAll),
  "messages.pending": reads(messagesPending),
  "messages.readers": reads(messagesReaders),
  "messages.channels": reads(messagesChannels),
  "messages.replies": reads(messagesReplies),
  "messages.status": reads(messagesStatus),
  "messages.gc": writes(messagesGc),
  "deadLetters.list": reads(deadLettersList),
  "deadLetters.show": reads(deadLettersShow),
  "deadLetters.requeue": writes(deadLettersRequeue),
  "deadLetters.purge": writes(deadLettersPurge),
  "pools.join": writes(poolsJoin),
  "pools.leave": writes(poolsLeave),
  "pools.list": reads(poolsList),
  "pools.remove": writes(poolsRemove),
  "retention.show": reads(retentionShow),
  "retention.set": writes(retentionSet),
  "retention.apply": (engine, input, { signal }, { db }) =>
    retention().retentionApply(engine, input, taskFiles().taskFiles(db, process.env), signal).then(plainly),
  "quotas.list": reads(quotasList),
  "quotas.set": writes(quotasSet),
  "costs.show": reads(costsShow),
  "costs.set": writes(costsSet),
  "agents.list": async (engine) => {
    const here = await engine.attending();
    return plainly(await engine.read((tx) => agentsList(tx, here)));
  },
  "stats.show": async (engine) => {
    const here = await engine.attending();
    return plainly(orch().withLastLines(await engine.read((tx) => statsShow(tx, here))));
  },
  "tasks.push": async (engine, input, { keyed }, place) =>
    written(engine, keyed, await orch().pushTo(place, input)),
  "tasks.assign": (engine, input, { keyed }, place) =>
    supervised(place, async () => written(engine, keyed, await orch().assignTo(place, input))),
  "tasks.run": (engine, input, { keyed }, place) =>
    supervised(place, () => written(engine, keyed, (tx) => tasksRun(tx, input))),
  "tasks.queue": reads(tasksQueue),
  "tasks.show": async (engine, input, _, place) =>
    plainly(orch().withResume(place, await engine.read((tx) => tasksShow(tx, input)))),
  "tasks.log": (engine, input, { signal }) => transcripts().readLog(engine, input, signal).then(plainly),
  "tasks.handoff": handOff,
  "tasks.kill": writes(tasksKill),
  "tasks.diff": (engine, input, _, place) => orch().diffOf(engine, place, input).then(plainly),
  "tasks.merge": (engine, input, { signal }, place) =>
    supervised(place, () => orch().merge(engine, place, input, abortSignalOf(signal)).then(plainly)),
  "tasks.discard": (engine, input, _, place) => orch().discard(engine, place, input).then(plainly),
  "tasks.send": (engine, input, { keyed }, place) =>
    supervised(place, () => written(engine, keyed, orch().sendTo(place, input))),
  "tasks.permit": (engine, input, { signal }, place) =>
    orch().permitTool(engine, place, input, abortSignalOf(signal)).then(plainly),
  "tasks.report": writes(tasksReport),
  "tasks.remove": writes(tasksRemove),
  "tasks.move": writes(tasksMove),
  "tasks.edit": (engine, input, { keyed }, place) => written(engine, keyed, orch().editTo(place, input)),
  "tasks.profiles": async (_, __, ___, place) => plainly(orch().listProfiles(place)),
  "workspaces.add": (engine, input, { keyed }) =>
    written(engine, keyed, (tx) => workspacesAdd(tx, input, folders().realFolder(input.path), hasDied)),
  "workspaces.list": reads(workspacesList),
  "workspaces.edit": writes(workspacesEdit),
  "workspaces.remove": writes(workspacesRemove),
  "entries.push": async (engine, input, { keyed }, { files }) =>
    written(engine, keyed, await entryPush().pushTo(engine, input, files)),
  "entries.history": reads(entriesHistory),
  "entries.show": handEntry,
  "entries.reply": writes(entriesReply),
  "entries.archive": writes(entriesArchive),
  "entries.unarchive": writes(entriesUnarchive),
  "entries.snooze": writes(entriesSnooze),
  "entries.unsnooze": writes(entriesUnsnooze),
  "entries.readAll": writes(entriesReadAll),
  "entries.counts": reads(entriesCounts),
  "notifications.key": reads(notificationsKey),
  "notifications.add": writes(notificationsAdd),
  "notifications.remove": writes(notificationsRemove),
  "entries.changes": (engine, input, _, { files }) => seen().changesOf(engine, input, files).then(plainly),
  "entries.seen": (engine, input, _, { files }) => seen().rememberSeen(engine, input, files).then(plainly),
  "mutes.add": writes(mutesAdd),
  "mutes.remove": writes(mutesRemove),
  "mutes.list": reads(mutesList),
  "entries.read": writes(entriesRead),
  "entries.unread": writes(entriesUnread),
  "entries.delete": writes(entriesDelete),
  "entries.restore": writes(entriesRestore),
  "entries.export": reads(entriesExport),
  "entries.import": writes(entriesImport),
  "search.find": (engine, input) => search(engine, input).then(plainly),
  "tokens.create": async (engine, { agent, scope }) => {
    const token = newToken();
    const made = await engine.write((tx) => tokensCreate(tx, { agent, scope, hash: tokenHash(token) }));
    return plainly({ token, ...made });
  },
  "tokens.list": reads(tokensList),
  "tokens.revoke": writes(tokensRevoke),
  "events.watch": (engine, input, { signal }) => watch(engine, input, signal).then(plainly),
};
