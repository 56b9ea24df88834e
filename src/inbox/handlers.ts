/** What each operation of the bus does: a line an operation. Those that show messages hand them over first. */

import { dlqList, dlqPurge, dlqRequeue, dlqShow } from "../bus/dead-letter.ts";
import { type Keyed, onlyOnce } from "../bus/idempotency.ts";
import { poolJoin, poolLeave, poolList, poolRemove } from "../bus/pool.ts";
import { ask, msgSend, sendPlain } from "../bus/post-message.ts";
import { agents } from "../bus/procedures/agents-list.ts";
import { entryHistory, entryPush, entryShow } from "../bus/procedures/entries-history.ts";
import { entryExport, entryImport } from "../bus/procedures/entries-import.ts";
import { entryDelete, entryRead, entryRestore, entryUnread } from "../bus/procedures/entries-read.ts";
import { entryReply } from "../bus/procedures/entries-reply.ts";
import { mailList } from "../bus/procedures/mailbox-list.ts";
import { msgAck, msgAckAll } from "../bus/procedures/messages-ack.ts";
import { msgChannels } from "../bus/procedures/messages-channels.ts";
import { msgGc } from "../bus/procedures/messages-gc.ts";
import { msgInbox, msgPending, msgRead, msgReplies, msgStatus } from "../bus/procedures/messages-inbox.ts";
import { quotasList, quotasSet } from "../bus/procedures/quotas-set.ts";
import { retentionSet, retentionShow } from "../bus/procedures/retention-set.ts";
import { moveTask, removeTask } from "../bus/procedures/tasks-edit.ts";
import { killTask } from "../bus/procedures/tasks-kill.ts";
import { queue, showTask } from "../bus/procedures/tasks-queue.ts";
import { runTasks } from "../bus/procedures/tasks-run.ts";
import { cancel } from "../bus/procedures/threads-cancel.ts";
import { fetch } from "../bus/procedures/threads-fetch.ts";
import { list } from "../bus/procedures/threads-list.ts";
import { release } from "../bus/procedures/threads-release.ts";
import { renew } from "../bus/procedures/threads-renew.ts";
import { reply } from "../bus/procedures/threads-reply.ts";
import { send } from "../bus/procedures/threads-send.ts";
import { show } from "../bus/procedures/threads-show.ts";
import { update } from "../bus/procedures/threads-update.ts";
import { workspaceAdd, workspaceList, workspaceRemove } from "../bus/procedures/workspaces-add.ts";
import { reassign } from "../bus/take-away.ts";
import { done, fail } from "../bus/thread-end.ts";
import { tokenCreate, tokenList, tokenRevoke } from "../bus/token.ts";
import type { BusFiles } from "../contract/document.ts";
import { InboxError } from "../contract/errors.ts";
import type { Message } from "../contract/message.ts";
import type { OperationName, OutputOf, ParsedOf } from "../contract/operations/index.ts";
import type { Receipt } from "../contract/receipt.ts";
import type { Engine } from "../engines/engine.ts";
import type { Place } from "../orch/operations/new-task.ts";
import { newToken, tokenHash } from "../platform/token-text.ts";
import type { Context, Procedure, Refused } from "../sql/procedure.ts";
import { watch } from "../waiting/events-watch.ts";
import type { Calling, Given } from "../waiting/handed.ts";
import { gather } from "../waiting/mailbox-gather.ts";
import { waitChannel } from "../waiting/messages-wait.ts";
import { check, receive, waitMail } from "../waiting/take-mail.ts";
import { awaitResult } from "../waiting/tasks-handoff.ts";
import { claimOrWait } from "../waiting/threads-claim.ts";
import { waitReply } from "../waiting/threads-wait-reply.ts";
import { search } from "./search.ts";

/** Operations on the bus; those about the database itself are in admin/operations.ts. */
export type BusOperation = Exclude<OperationName, `bus.${string}`>;

/** Where the bus is, and what on this machine is the bus itself. */
type Here = Place & { files: BusFiles };

type Handler<N extends BusOperation> = (
  engine: Engine,
  input: ParsedOf<N>,
  call: Calling,
  place: Here,
) => Promise<Given<OutputOf<N>>>;

/** Loaded when asked for: they bring modules that no other command needs. */
const orch = () =>
  require("../orch/operations/new-task.ts") as typeof import("../orch/operations/new-task.ts");
const approval = () => require("../orch/approval.ts") as typeof import("../orch/approval.ts");
const transcripts = () =>
  require("../orch/operations/tasks-log.ts") as typeof import("../orch/operations/tasks-log.ts");

const retention = () => require("./retention.ts") as typeof import("./retention.ts");
const taskFiles = () => require("../orch/task-files.ts") as typeof import("../orch/task-files.ts");

// Loaded by the one operation that looks at files.
const documents = () => require("../documents/states.ts") as typeof import("../documents/states.ts");

const folders = () => require("../documents/bus-files.ts") as typeof import("../documents/bus-files.ts");

const plainly = <T>(value: T): Given<T> => ({ value });

const reads =
  <N extends BusOperation>(
    procedure: (tx: Context, input: ParsedOf<N>) => Procedure<OutputOf<N>>,
  ): Handler<N> =>
  (engine, input) =>
    engine.read((tx) => procedure(tx, input)).then(plainly);

type Work<T> = (tx: Context) => Procedure<T | Refused>;

const written = <T>(engine: Engine, keyed: Keyed | undefined, work: Work<T>) =>
  engine
    .write((tx) => (keyed ? onlyOnce(tx, keyed, () => work(tx)) : work(tx)), {
      repeatable: keyed !== undefined,
    })
    .then(plainly);

const writes =
  <N extends BusOperation>(
    procedure: (tx: Context, input: ParsedOf<N>) => Procedure<OutputOf<N> | Refused>,
  ): Handler<N> =>
  (engine, input, { keyed }) =>
    written(engine, keyed, (tx) => procedure(tx, input));

export const handlers: { [N in BusOperation]: Handler<N> } = {
  "threads.send": writes(send),
  "threads.reply": writes(reply),
  "threads.renew": writes(renew),
  "threads.release": writes(release),
  "threads.reassign": writes(reassign),
  "threads.update": writes(update),
  "threads.done": writes(done),
  "threads.fail": writes(fail),
  "threads.cancel": writes(cancel),
  "threads.fetch": reads(fetch),
  "threads.list": reads(list),
  "threads.claim": handClaim,
  "threads.show": handShow,
  "threads.waitReply": handReply,
  "mailbox.send": writes(sendPlain),
  "mailbox.ask": writes(ask),
  "mailbox.receive": receive,
  "mailbox.check": check,
  "mailbox.wait": waitMail,
  "mailbox.gather": gather,
  "mailbox.list": reads(mailList),
  "messages.send": writes(msgSend),
  "messages.inbox": (engine, input) =>
    engine.read((tx) => msgInbox(tx, input)).then((value) => committing(input, value)),
  "messages.wait": (engine, input, { signal }) =>
    waitChannel(engine, input, signal).then((value) => committing(input, value)),
  "messages.read": reads(msgRead),
  "messages.ack": writes(msgAck),
  "messages.ackAll": writes(msgAckAll),
  "messages.pending": reads(msgPending),
  "messages.channels": reads(msgChannels),
  "messages.replies": reads(msgReplies),
  "messages.status": reads(msgStatus),
  "messages.gc": writes(msgGc),
  "deadLetters.list": reads(dlqList),
  "deadLetters.show": reads(dlqShow),
  "deadLetters.requeue": writes(dlqRequeue),
  "deadLetters.purge": writes(dlqPurge),
  "pools.join": writes(poolJoin),
  "pools.leave": writes(poolLeave),
  "pools.list": reads(poolList),
  "pools.remove": writes(poolRemove),
  "agents.list": async (engine) => {
    const here = await engine.attending();
    return plainly(await engine.read((tx) => agents(tx, here)));
  },
  "tasks.push": (engine, input, { keyed }, place) => written(engine, keyed, orch().pushTo(place, input)),
  "tasks.assign": (engine, input, { keyed }, place) =>
    supervised(place, () => written(engine, keyed, orch().assignTo(place, input))),
  "tasks.run": (engine, input, { keyed }, place) =>
    supervised(place, () => written(engine, keyed, (tx) => runTasks(tx, input))),
  "tasks.queue": reads(queue),
  "tasks.show": async (engine, input, _, place) =>
    plainly(orch().withResume(place, await engine.read((tx) => showTask(tx, input)))),
  "tasks.log": (engine, input, { signal }) => transcripts().readLog(engine, input, signal).then(plainly),
  "tasks.handoff": handOff,
  "tasks.kill": writes(killTask),
  "tasks.remove": writes(removeTask),
  "tasks.move": writes(moveTask),
  "tasks.edit": (engine, input, { keyed }, place) => written(engine, keyed, orch().editTo(place, input)),
  "tasks.profiles": async (_, __, ___, place) => plainly(orch().listProfiles(place)),
  "workspaces.add": (engine, input, { keyed }) =>
    written(engine, keyed, (tx) => workspaceAdd(tx, { ...input, path: folders().realFolder(input.path) })),
  "workspaces.list": reads(workspaceList),
  "workspaces.remove": writes(workspaceRemove),
  "entries.push": writes(entryPush),
  "entries.history": reads(entryHistory),
  "entries.show": handEntry,
  "entries.reply": writes(entryReply),
  "entries.read": writes(entryRead),
  "entries.unread": writes(entryUnread),
  "entries.delete": writes(entryDelete),
  "entries.restore": writes(entryRestore),
  "entries.export": reads(entryExport),
  "entries.import": writes(entryImport),
  "retention.show": reads(retentionShow),
  "retention.set": writes(retentionSet),
  "retention.apply": (engine, input, { signal }, { db }) =>
    retention().gc(engine, input, taskFiles().taskFiles(db, process.env), signal).then(plainly),
  "quotas.list": reads(quotasList),
  "quotas.set": writes(quotasSet),
  "search.find": (engine, input) => search(engine, input).then(plainly),
  "tokens.create": async (engine, { agent, scope }) => {
    const token = newToken();
    const made = await engine.write((tx) => tokenCreate(tx, { agent, scope, hash: tokenHash(token) }));
    return plainly({ token, ...made });
  },
  "tokens.list": reads(tokenList),
  "tokens.revoke": writes(tokenRevoke),
  "events.watch": (engine, input, { signal }) => watch(engine, input, signal).then(plainly),
};

/** [Q7] What is let run needs somebody who runs it, and not only when the next command passes by. [X7] And that the user trusts this bus. */
async function supervised<T>({ db, supervise }: Place, writing: () => Promise<T>): Promise<T> {
  approval().requireApproval(db);
  const given = await writing();
  await supervise();
  return given;
}

/** [Q11] A new one is started here; one that was handed to before is only waited for. */
async function handOff(engine: Engine, input: ParsedOf<"tasks.handoff">, call: Calling, place: Place) {
  const { message, terminalId, timeoutSeconds, ...task } = input;
  const { agent } = input;
  if ((message === undefined) === (terminalId === undefined))
    throw new InboxError("invalid_input", "say what is to be done, or whose result is waited for", {
      hint: "message for a new sub-agent; terminalId for one that was started before",
    });
  if (terminalId !== undefined) return awaitResult(engine, { agent, name: terminalId, timeoutSeconds }, call);
  const started = await supervised(place, () =>
    engine.write(orch().assignTo(place, { ...task, message: message! })),
  );
  return awaitResult(engine, { agent, name: started.terminalId, timeoutSeconds }, call);
}

async function handClaim(engine: Engine, input: ParsedOf<"threads.claim">, { signal, handOver }: Calling) {
  const { answer: value, fresh } = await claimOrWait(engine, { ...input, handOver }, signal);
  const { thread, lease } = value;
  if (!thread || !lease) return plainly(value);
  // What was the caller's before stays so: only a fresh lease is given back.
  const granted = fresh ? { lease: lease.token } : {};
  return collecting(value, { agent: input.agent, thread: thread.threadId, read: false, ...granted });
}

async function handShow(engine: Engine, input: ParsedOf<"threads.show">) {
  const value = await engine.read((tx) => show(tx, input));
  if (!input.markRead || input.agent === undefined) return plainly(value);
  return collecting(value, { agent: input.agent, thread: input.thread, read: true });
}

async function handEntry(
  engine: Engine,
  { id, markRead, agent }: ParsedOf<"entries.show">,
  _: Calling,
  { files }: Here,
) {
  const found = await engine.read((tx) => entryShow(tx, id));
  const { statesOf } = documents();
  const confines = found.workspace ? { root: found.workspace.path, bus: files } : undefined;
  const value = { ...found, documents: statesOf(found.entry.docs, confines) };
  if (!markRead || found.entry.readAt !== null) return plainly(value);
  const receipt: Receipt = { of: "entry", agent, id };
  return { value, receipt };
}

/** [M3] A reader's position moves once the answer has arrived, where it is to move. */
function committing<T extends { messages: readonly { id: number }[] }>(
  { channel, reader, commit }: { channel: string; reader?: string; commit: boolean },
  value: T,
): Given<T> {
  const last = value.messages.at(-1);
  if (!commit || reader === undefined || !last) return plainly(value);
  const receipt: Receipt = { of: "channel", reader, channel, position: last.id };
  return { value, receipt };
}

async function handReply(
  engine: Engine,
  input: ParsedOf<"threads.waitReply">,
  { signal, handOver }: Calling,
) {
  const id = handOver ?? crypto.randomUUID();
  const value = await waitReply(engine, input, signal, id);
  if (input.agent === undefined) return plainly(value);
  // Nothing was found: nothing is hidden.
  const hidden = value.woke ? { id } : {};
  return collecting(value, { agent: input.agent, thread: input.thread, read: true, ...hidden });
}

function collecting<T extends { messages: readonly Message[] }>(
  value: T,
  what: Omit<Extract<Receipt, { of: "thread" }>, "of" | "messages">,
): Given<T> {
  const messages = value.messages.map((message) => message.messageId);
  return { value, receipt: { of: "thread", ...what, messages } };
}
