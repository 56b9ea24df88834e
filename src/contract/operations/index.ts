/** The table from which every surface is derived. A new operation is one file here and one line below. */
import type * as v from "valibot";
import { agentsList } from "./agents-list.ts";
import { auditList } from "./audit-list.ts";
import { busBackup } from "./bus-backup.ts";
import { busDemo } from "./bus-demo.ts";
import { busDoctor } from "./bus-doctor.ts";
import { busDown } from "./bus-down.ts";
import { busExport } from "./bus-export.ts";
import { busImport } from "./bus-import.ts";
import { busInit } from "./bus-init.ts";
import { busLogs } from "./bus-logs.ts";
import { busMcp } from "./bus-mcp.ts";
import { busMigrate } from "./bus-migrate.ts";
import { busQuickstart } from "./bus-quickstart.ts";
import { busRestore } from "./bus-restore.ts";
import { busServe } from "./bus-serve.ts";
import { busSetup } from "./bus-setup.ts";
import { busStatus } from "./bus-status.ts";
import { busSupervise } from "./bus-supervise.ts";
import { busTop } from "./bus-top.ts";
import { busTrust } from "./bus-trust.ts";
import { busUp } from "./bus-up.ts";
import { busUpgrade } from "./bus-upgrade.ts";
import { costsSet } from "./costs-set.ts";
import { costsShow } from "./costs-show.ts";
import { deadLettersList } from "./dead-letters-list.ts";
import { deadLettersPurge } from "./dead-letters-purge.ts";
import { deadLettersRequeue } from "./dead-letters-requeue.ts";
import { deadLettersShow } from "./dead-letters-show.ts";
import { entriesArchive } from "./entries-archive.ts";
import { entriesChanges } from "./entries-changes.ts";
import { entriesCounts } from "./entries-counts.ts";
import { entriesDelete } from "./entries-delete.ts";
import { entriesExport } from "./entries-export.ts";
import { entriesHistory } from "./entries-history.ts";
import { entriesImport } from "./entries-import.ts";
import { entriesPush } from "./entries-push.ts";
import { entriesRead } from "./entries-read.ts";
import { entriesReadAll } from "./entries-read-all.ts";
import { entriesReply } from "./entries-reply.ts";
import { entriesRestore } from "./entries-restore.ts";
import { entriesSeen } from "./entries-seen.ts";
import { entriesShow } from "./entries-show.ts";
import { entriesSnooze } from "./entries-snooze.ts";
import { entriesUnarchive } from "./entries-unarchive.ts";
import { entriesUnread } from "./entries-unread.ts";
import { entriesUnsnooze } from "./entries-unsnooze.ts";
import { eventsWatch } from "./events-watch.ts";
import { mailboxAnswer } from "./mailbox-answer.ts";
import { mailboxAsk } from "./mailbox-ask.ts";
import { mailboxCheck } from "./mailbox-check.ts";
import { mailboxDecide } from "./mailbox-decide.ts";
import { mailboxGather } from "./mailbox-gather.ts";
import { mailboxList } from "./mailbox-list.ts";
import { mailboxReceive } from "./mailbox-receive.ts";
import { mailboxSend } from "./mailbox-send.ts";
import { mailboxWait } from "./mailbox-wait.ts";
import { messagesAck } from "./messages-ack.ts";
import { messagesAckAll } from "./messages-ack-all.ts";
import { messagesChannels } from "./messages-channels.ts";
import { messagesGc } from "./messages-gc.ts";
import { messagesInbox } from "./messages-inbox.ts";
import { messagesPending } from "./messages-pending.ts";
import { messagesRead } from "./messages-read.ts";
import { messagesReaders } from "./messages-readers.ts";
import { messagesReplies } from "./messages-replies.ts";
import { messagesSend } from "./messages-send.ts";
import { messagesStatus } from "./messages-status.ts";
import { messagesWait } from "./messages-wait.ts";
import { mutesAdd } from "./mutes-add.ts";
import { mutesList } from "./mutes-list.ts";
import { mutesRemove } from "./mutes-remove.ts";
import { notificationsAdd } from "./notifications-add.ts";
import { notificationsKey } from "./notifications-key.ts";
import { notificationsRemove } from "./notifications-remove.ts";
import { poolsJoin } from "./pools-join.ts";
import { poolsLeave } from "./pools-leave.ts";
import { poolsList } from "./pools-list.ts";
import { poolsRemove } from "./pools-remove.ts";
import { quotasList } from "./quotas-list.ts";
import { quotasSet } from "./quotas-set.ts";
import { retentionApply } from "./retention-apply.ts";
import { retentionSet } from "./retention-set.ts";
import { retentionShow } from "./retention-show.ts";
import { searchFind } from "./search-find.ts";
import { statsShow } from "./stats-show.ts";
import { tasksAssign } from "./tasks-assign.ts";
import { tasksDiff } from "./tasks-diff.ts";
import { tasksDiscard } from "./tasks-discard.ts";
import { tasksEdit } from "./tasks-edit.ts";
import { tasksHandoff } from "./tasks-handoff.ts";
import { tasksKill } from "./tasks-kill.ts";
import { tasksLog } from "./tasks-log.ts";
import { tasksMerge } from "./tasks-merge.ts";
import { tasksMove } from "./tasks-move.ts";
import { tasksPermit } from "./tasks-permit.ts";
import { tasksProfiles } from "./tasks-profiles.ts";
import { tasksPush } from "./tasks-push.ts";
import { tasksQueue } from "./tasks-queue.ts";
import { tasksRemove } from "./tasks-remove.ts";
import { tasksReport } from "./tasks-report.ts";
import { tasksRun } from "./tasks-run.ts";
import { tasksSend } from "./tasks-send.ts";
import { tasksShow } from "./tasks-show.ts";
import { threadsCancel } from "./threads-cancel.ts";
import { threadsClaim } from "./threads-claim.ts";
import { threadsDone } from "./threads-done.ts";
import { threadsFail } from "./threads-fail.ts";
import { threadsFetch } from "./threads-fetch.ts";
import { threadsList } from "./threads-list.ts";
import { threadsReassign } from "./threads-reassign.ts";
import { threadsRelease } from "./threads-release.ts";
import { threadsRenew } from "./threads-renew.ts";
import { threadsReply } from "./threads-reply.ts";
import { threadsSend } from "./threads-send.ts";
import { threadsShow } from "./threads-show.ts";
import { threadsUpdate } from "./threads-update.ts";
import { threadsWaitReply } from "./threads-wait-reply.ts";
import { tokensCreate } from "./tokens-create.ts";
import { tokensList } from "./tokens-list.ts";
import { tokensRevoke } from "./tokens-revoke.ts";
import { workspacesAdd } from "./workspaces-add.ts";
import { workspacesEdit } from "./workspaces-edit.ts";
import { workspacesList } from "./workspaces-list.ts";
import { workspacesRemove } from "./workspaces-remove.ts";

/** In the order help shows them: the life of a thread, the mailbox, channels, then the rest. */
export const table = [
  busQuickstart,
  busDemo,
  busInit,
  threadsSend,
  mailboxSend,
  mailboxAsk,
  mailboxDecide,
  mailboxAnswer,
  threadsFetch,
  threadsClaim,
  threadsRenew,
  threadsUpdate,
  threadsWaitReply,
  threadsReply,
  threadsDone,
  threadsFail,
  threadsRelease,
  threadsReassign,
  threadsCancel,
  threadsList,
  threadsShow,
  eventsWatch,
  mailboxReceive,
  mailboxCheck,
  mailboxWait,
  mailboxList,
  mailboxGather,
  messagesSend,
  messagesInbox,
  messagesWait,
  messagesRead,
  messagesAck,
  messagesAckAll,
  messagesPending,
  messagesReaders,
  messagesChannels,
  messagesReplies,
  messagesStatus,
  messagesGc,
  deadLettersList,
  deadLettersShow,
  deadLettersRequeue,
  deadLettersPurge,
  poolsJoin,
  poolsLeave,
  poolsList,
  poolsRemove,
  retentionShow,
  retentionSet,
  retentionApply,
  quotasList,
  quotasSet,
  agentsList,
  statsShow,
  busTop,
  tasksPush,
  tasksRun,
  tasksQueue,
  tasksShow,
  tasksLog,
  tasksAssign,
  tasksHandoff,
  tasksKill,
  tasksSend,
  tasksDiff,
  tasksMerge,
  tasksDiscard,
  tasksPermit,
  tasksReport,
  tasksRemove,
  tasksMove,
  tasksEdit,
  tasksProfiles,
  costsShow,
  costsSet,
  busSupervise,
  workspacesAdd,
  workspacesList,
  workspacesEdit,
  workspacesRemove,
  entriesPush,
  entriesHistory,
  entriesShow,
  entriesReply,
  entriesRead,
  entriesUnread,
  entriesArchive,
  entriesUnarchive,
  entriesSnooze,
  entriesUnsnooze,
  entriesReadAll,
  entriesCounts,
  entriesChanges,
  entriesSeen,
  entriesDelete,
  entriesRestore,
  entriesExport,
  entriesImport,
  mutesAdd,
  mutesRemove,
  mutesList,
  notificationsKey,
  notificationsAdd,
  notificationsRemove,
  searchFind,
  auditList,
  busServe,
  busUp,
  busDown,
  busStatus,
  busLogs,
  busMcp,
  busSetup,
  busTrust,
  tokensCreate,
  tokensList,
  tokensRevoke,
  busDoctor,
  busMigrate,
  busBackup,
  busRestore,
  busExport,
  busImport,
  busUpgrade,
] as const;

type Table = (typeof table)[number];
export type OperationName = Table["name"];
type Named<N extends OperationName> = Extract<Table, { name: N }>;
/** What a caller may pass: defaults left out. */
export type InputOf<N extends OperationName> = v.InferInput<ReturnType<Named<N>["input"]>>;
/** What a procedure gets: checked, with the defaults in. */
export type ParsedOf<N extends OperationName> = v.InferOutput<ReturnType<Named<N>["input"]>>;
export type OutputOf<N extends OperationName> = v.InferOutput<ReturnType<Named<N>["output"]>>;

export function operationNamed<N extends OperationName>(name: N): Named<N> {
  const found = table.find((op) => op.name === name);
  if (!found) throw new Error(`no operation ${name}`);
  return found as Named<N>;
}
