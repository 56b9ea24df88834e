/**
 * An event: a numbered record of a state change, which waiters wait for ([T13]). Every change appends exactly one, in
 * the same transaction. Status and assignee are those after the event.
 */
import * as v from "valibot";
import { statuses } from "./thread.ts";

/** The closed list, with the payload of each type. */
export const eventTypes = {
  "agent.joined": "an agent acted for the first time; payload {}",
  "pool.joined": "an agent joined a pool; payload {pool}",
  "pool.left": "an agent left a pool; payload {pool}",
  "pool.removed": "a pool was removed, with its members; payload {pool, members}",
  "thread.created": "a thread was created, with its first message; payload {kind, to}",
  "thread.claimed": "a lease was granted; payload {attempt, expires_at, taken_from}",
  "thread.updated": "the holder reported progress or a question; payload {kind, to}",
  "thread.released":
    "the thread was released, by its holder or by force; payload {attempt, taken_from, reason}",
  "thread.reassigned": "the thread was reassigned; payload {kind, to, from, reason}",
  "thread.done": "the thread ended with a result; payload {kind, to}",
  "thread.failed": "the thread ended as failed; payload {kind, to, reason}",
  "thread.cancelled": "the thread was cancelled; payload {kind, to, reason}",
  "lease.renewed": "the holder extended its lease; payload {attempt, expires_at}",
  "message.sent": "a message was added to a thread, or a plain message was sent; payload {kind, to, late}",
  "messages.collected": "an agent was shown messages; payload {messages, read_to}",
  "messages.handed": "messages were handed to a reader and are hidden from others; payload {messages, until}",
  "messages.returned":
    "messages that were handed over were not collected, and can be delivered again; payload {messages}",
  "message.dead": "a message became a dead letter; payload {channel, reason}",
  "messages.requeued": "dead letters were put back; payload {messages}",
  "messages.purged": "dead letters were deleted; payload {messages}",
  "messages.deleted": "messages.gc deleted messages; payload {expired, acked}",
  "token.created": "a token was created for the agent; payload {token, scope}",
  "token.revoked": "a token was revoked; payload {token}",
  "task.pushed": "a task was queued; payload {task}",
  "task.released": "tasks were released to run, at most count at the same time; payload {tasks, count}",
  "task.started": "a sub-agent was started for the task; payload {task, attempt}",
  "task.retried": "the task failed and will be retried; payload {task, attempt, error, not_before}",
  "task.killed": "the task was told to end; payload {task, reason}",
  "task.interrupted": "a message was sent that interrupts the task's turn; payload {task}",
  "task.used":
    "the task and the tasks it pushed have used more; recorded at most once every 5 s; payload {task, tokens, cost_usd, turns}",
  "task.finished": "the task finished and its parent was told; payload {task, success, error}",
  "task.merged": "the branch of a task was merged; payload {task, into, commit}",
  "task.discarded": "the worktree and branch of a task were deleted; payload {task, branch}",
  "task.continued": "a finished task was given another turn; payload {task}",
  "task.removed": "a task was removed from the queue; payload {task}",
  "task.edited": "a queued task was changed; payload {task, changed}",
  "task.moved": "a queued task was moved; payload {task, place}",
  "workspace.added": "a folder became a workspace; payload {workspace, label}",
  "workspace.edited": "a workspace was changed; payload {workspace, label}",
  "workspace.removed": "a workspace was removed; payload {workspace, label}",
  "entry.pushed": "an entry was added to the person's inbox; payload {entry, workspace}",
  "entry.read": "an entry was marked as read; payload {entry}",
  "entry.unread": "an entry was marked as unread again; payload {entry}",
  "entry.answered": "an entry was answered; payload {entry, answer, changed}",
  "entry.archived": "an entry was archived; payload {entry}",
  "entry.unarchived": "an archived entry came back into the inbox; payload {entry}",
  "entry.snoozed": "an entry was hidden until later; payload {entry, until}",
  "entry.unsnoozed": "a snoozed entry came back before its time; payload {entry}",
  "entry.seen":
    "the person has read the documents of an entry, and their text was kept; payload {entry, documents}",
  "entries.read": "entries were marked as read together; payload {entries}",
  "mute.added": "an agent or a thread was muted; payload {name, thread}",
  "notifications.added": "a device gets push notifications from now on; payload {service}",
  "notifications.removed": "a device gets no more push notifications; payload {service}",
  "mute.removed": "an agent or a thread is no longer muted; payload {name, thread}",
  "entry.deleted": "an entry was deleted and can be restored until the given time; payload {entry, until}",
  "entry.restored": "a deleted entry was restored; payload {entry}",
  "entries.erased": "deleted entries were erased; payload {entries}",
  "retention.set": "a limit of retention was changed; payload {rules}",
  "retention.applied": "retention deleted data of one kind; payload {kind, count}",
  "quota.set": "the quotas of an agent were changed; payload {agent, quotas}",
  "costs.limited": "the daily limit of costs was changed; payload {tokens, usd}",
  "reader.committed": "a reader moved its position in a channel; payload {channel, position}",
} as const;

export type EventType = keyof typeof eventTypes;

export const event = () =>
  v.strictObject({
    eventId: v.number(),
    eventType: v.picklist(Object.keys(eventTypes) as EventType[]),
    threadId: v.nullable(v.string()),
    runId: v.nullable(v.string()),
    taskId: v.nullable(v.string()),
    source: v.string(),
    status: v.nullable(v.picklist(statuses)),
    assignedTo: v.nullable(v.string()),
    messageId: v.nullable(v.string()),
    summary: v.string(),
    payload: v.record(v.string(), v.unknown()),
    createdAt: v.string(),
  });

export type Event = v.InferOutput<ReturnType<typeof event>>;
