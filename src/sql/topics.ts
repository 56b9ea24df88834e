/** The names waiters wait on. A topic is a hint about what changed; the database says what. */
export const everything = "events";
export const agentTopic = (name: string) => `agent:${name}`;
export const threadTopic = (number: number) => `thread:${number}`;
