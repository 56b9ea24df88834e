/** What each operation of the bus does: a line an operation. Those that show messages hand them over first. */

import { type Keyed, onlyOnce } from "./bus/idempotency.ts";
import { agents } from "./bus/procedures/agents.ts";
import { cancel } from "./bus/procedures/cancel.ts";
import { dlqList, dlqPurge, dlqRequeue, dlqShow } from "./bus/procedures/dead-letters.ts";
import { entryHistory, entryPush, entryShow } from "./bus/procedures/entries.ts";
import { entryReply } from "./bus/procedures/entry-reply.ts";
import { entryDelete, entryRead, entryRestore, entryUnread } from "./bus/procedures/entry-state.ts";
import { entryExport, entryImport } from "./bus/procedures/entry-transfer.ts";
import { fetch } from "./bus/procedures/fetch.ts";
import { done, fail } from "./bus/procedures/finish.ts";
import { list } from "./bus/procedures/list.ts";
import { mailList } from "./bus/procedures/mail-list.ts";
import { msgAck, msgAckAll } from "./bus/procedures/msg-ack.ts";
import { msgChannels } from "./bus/procedures/msg-channels.ts";
import { msgGc } from "./bus/procedures/msg-gc.ts";
import { msgInbox, msgPending, msgRead, msgReplies, msgStatus } from "./bus/procedures/msg-read.ts";
import { ask, msgSend, sendPlain } from "./bus/procedures/msg-send.ts";
import { poolJoin, poolLeave, poolList, poolRemove } from "./bus/procedures/pool.ts";
import { release } from "./bus/procedures/release.ts";
import { renew } from "./bus/procedures/renew.ts";
import { reply } from "./bus/procedures/reply.ts";
import { send } from "./bus/procedures/send.ts";
import { show } from "./bus/procedures/show.ts";
import { reassign } from "./bus/procedures/take-away.ts";
import { moveTask, removeTask } from "./bus/procedures/task-change.ts";
import { killTask } from "./bus/procedures/task-kill.ts";
import { queue, showTask } from "./bus/procedures/task-queue.ts";
import { runTasks } from "./bus/procedures/task-run.ts";
import { tokenCreate, tokenList, tokenRevoke } from "./bus/procedures/tokens.ts";
import { update } from "./bus/procedures/update.ts";
import { workspaceAdd, workspaceList, workspaceRemove } from "./bus/procedures/workspaces.ts";
import type { BusFiles } from "./contract/document.ts";
import { InboxError } from "./contract/errors.ts";
import type { Message } from "./contract/message.ts";
import type { OperationName, OutputOf, ParsedOf } from "./contract/operations/index.ts";
import { field, phrase } from "./contract/phrase.ts";
import type { Receipt } from "./contract/receipt.ts";
import type { Engine } from "./engines/engine.ts";
import type { Place } from "./orch/operations.ts";
import { search } from "./searching.ts";
import type { Context, Procedure, Refused } from "./sql/procedure.ts";
import { newToken, tokenHash } from "./token-text.ts";
import { waitChannel } from "./waiting/channel.ts";
import { claimOrWait } from "./waiting/claim.ts";
import { gather } from "./waiting/gather.ts";
import type { Calling, Given } from "./waiting/handed.ts";
import { awaitResult } from "./waiting/handoff.ts";
import { check, receive, waitMail } from "./waiting/mail.ts";
import { waitReply } from "./waiting/wait-reply.ts";
import { watch } from "./waiting/watch.ts";

/** Operations on the bus; those about the database itself are in local.ts. */
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
const orch = () => require("./orch/operations.ts") as typeof import("./orch/operations.ts");
const approval = () => require("./orch/approval.ts") as typeof import("./orch/approval.ts");
const transcripts = () => require("./orch/log.ts") as typeof import("./orch/log.ts");

// Loaded by the one operation that looks at files.
const documents = () => require("./documents/states.ts") as typeof import("./documents/states.ts");

const folders = () => require("./documents/bus-files.ts") as typeof import("./documents/bus-files.ts");

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
      hint: phrase`${field("message")} for a new sub-agent; ${field("terminalId")} for one that was started before`,
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
  const value = { ...found, documents: statesOf(confines, found.entry.docs) };
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
