/** The names that waits subscribe to. A topic is only a hint that something changed; the database has what changed. */
export const everything = "events";
/** The person's inbox. */
export const entriesTopic = "entries";
export const agentTopic = (name: string) => `agent:${name}`;
/** Supervisors wait for this. */
export const taskTopic = "tasks";
/** Some token was revoked. */
export const revocationTopic = "revocations";
/** The limits of retention were changed. */
export const retentionTopic = "retention";
export const threadTopic = (number: number) => `thread:${number}`;

/** The fields of an event that tell whom it concerns. */
export interface Concerned {
  event_type: string;
  source: string;
  thread_id: number | null;
  to_agent: string | null;
  assigned_to: string | null;
  addressed_to: string | null;
}

/** The topics that an event concerns: the thread's two sides, the pool, the addressee, the watchers. */
export function topicsOf(event: Concerned): string[] {
  const topics = [everything];
  // A task whose thread is cancelled must end, and its keeper may be reached only through its supervisor.
  const type = event.event_type;
  if (type.startsWith("task.") || type === "thread.cancelled") topics.push(taskTopic);
  if (type === "token.revoked") topics.push(revocationTopic);
  if (event.to_agent !== null) topics.push(agentTopic(event.to_agent));
  if (event.thread_id === null) {
    topics.push(agentTopic(event.source));
    return topics;
  }
  topics.push(threadTopic(event.thread_id));
  if (event.assigned_to !== null) topics.push(agentTopic(event.assigned_to));
  if (event.addressed_to !== null && event.addressed_to !== event.assigned_to)
    topics.push(agentTopic(event.addressed_to));
  return topics;
}
