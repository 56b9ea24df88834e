/** The table from which every surface is derived. A new operation is one file here and one line below. */
import type * as v from "valibot";
import { agents } from "./agents-list.ts";
import { doctor } from "./bus-doctor.ts";
import { init } from "./bus-init.ts";
import { mcp } from "./bus-mcp.ts";
import { migrate } from "./bus-migrate.ts";
import { serve } from "./bus-serve.ts";
import { setup } from "./bus-setup.ts";
import { supervise } from "./bus-supervise.ts";
import { trust } from "./bus-trust.ts";
import { dlqList } from "./dead-letters-list.ts";
import { dlqPurge } from "./dead-letters-purge.ts";
import { dlqRequeue } from "./dead-letters-requeue.ts";
import { dlqShow } from "./dead-letters-show.ts";
import { entryDelete } from "./entries-delete.ts";
import { entryExport } from "./entries-export.ts";
import { entryHistory } from "./entries-history.ts";
import { entryImport } from "./entries-import.ts";
import { entryPush } from "./entries-push.ts";
import { entryRead } from "./entries-read.ts";
import { entryReply } from "./entries-reply.ts";
import { entryRestore } from "./entries-restore.ts";
import { entryShow } from "./entries-show.ts";
import { entryUnread } from "./entries-unread.ts";
import { watch } from "./events-watch.ts";
import { ask } from "./mailbox-ask.ts";
import { check } from "./mailbox-check.ts";
import { gather } from "./mailbox-gather.ts";
import { mailList } from "./mailbox-list.ts";
import { receive } from "./mailbox-receive.ts";
import { sendPlain } from "./mailbox-send.ts";
import { waitMail } from "./mailbox-wait.ts";
import { msgAck } from "./messages-ack.ts";
import { msgAckAll } from "./messages-ack-all.ts";
import { msgChannels } from "./messages-channels.ts";
import { msgGc } from "./messages-gc.ts";
import { msgInbox } from "./messages-inbox.ts";
import { msgPending } from "./messages-pending.ts";
import { msgRead } from "./messages-read.ts";
import { msgReplies } from "./messages-replies.ts";
import { msgSend } from "./messages-send.ts";
import { msgStatus } from "./messages-status.ts";
import { msgWait } from "./messages-wait.ts";
import { poolJoin } from "./pools-join.ts";
import { poolLeave } from "./pools-leave.ts";
import { poolList } from "./pools-list.ts";
import { poolRemove } from "./pools-remove.ts";
import { quotasList } from "./quotas-list.ts";
import { quotasSet } from "./quotas-set.ts";
import { retentionApply } from "./retention-apply.ts";
import { retentionSet } from "./retention-set.ts";
import { retentionShow } from "./retention-show.ts";
import { searchFind } from "./search-find.ts";
import { assign } from "./tasks-assign.ts";
import { editTask } from "./tasks-edit.ts";
import { handoff } from "./tasks-handoff.ts";
import { killTask } from "./tasks-kill.ts";
import { log } from "./tasks-log.ts";
import { moveTask } from "./tasks-move.ts";
import { profiles } from "./tasks-profiles.ts";
import { push } from "./tasks-push.ts";
import { queue } from "./tasks-queue.ts";
import { removeTask } from "./tasks-remove.ts";
import { runTasks } from "./tasks-run.ts";
import { showTask } from "./tasks-show.ts";
import { cancel } from "./threads-cancel.ts";
import { claim } from "./threads-claim.ts";
import { done } from "./threads-done.ts";
import { fail } from "./threads-fail.ts";
import { fetch } from "./threads-fetch.ts";
import { list } from "./threads-list.ts";
import { reassign } from "./threads-reassign.ts";
import { release } from "./threads-release.ts";
import { renew } from "./threads-renew.ts";
import { reply } from "./threads-reply.ts";
import { send } from "./threads-send.ts";
import { show } from "./threads-show.ts";
import { update } from "./threads-update.ts";
import { waitReply } from "./threads-wait-reply.ts";
import { tokenCreate } from "./tokens-create.ts";
import { tokenList } from "./tokens-list.ts";
import { tokenRevoke } from "./tokens-revoke.ts";
import { workspaceAdd } from "./workspaces-add.ts";
import { workspaceList } from "./workspaces-list.ts";
import { workspaceRemove } from "./workspaces-remove.ts";

/** In the order help shows them: the life of a thread, the mailbox, channels, then the rest. */
export const table = [
  init,
  send,
  sendPlain,
  ask,
  fetch,
  claim,
  renew,
  update,
  waitReply,
  reply,
  done,
  fail,
  release,
  reassign,
  cancel,
  list,
  show,
  watch,
  receive,
  check,
  waitMail,
  mailList,
  gather,
  msgSend,
  msgInbox,
  msgWait,
  msgRead,
  msgAck,
  msgAckAll,
  msgPending,
  msgChannels,
  msgReplies,
  msgStatus,
  msgGc,
  dlqList,
  dlqShow,
  dlqRequeue,
  dlqPurge,
  poolJoin,
  poolLeave,
  poolList,
  poolRemove,
  agents,
  push,
  runTasks,
  queue,
  showTask,
  log,
  assign,
  handoff,
  killTask,
  removeTask,
  moveTask,
  editTask,
  profiles,
  supervise,
  workspaceAdd,
  workspaceList,
  workspaceRemove,
  entryPush,
  entryHistory,
  entryShow,
  entryReply,
  entryRead,
  entryUnread,
  entryDelete,
  entryRestore,
  entryExport,
  entryImport,
  searchFind,
  serve,
  mcp,
  setup,
  trust,
  tokenCreate,
  tokenList,
  tokenRevoke,
  retentionShow,
  retentionSet,
  retentionApply,
  quotasList,
  quotasSet,
  doctor,
  migrate,
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
