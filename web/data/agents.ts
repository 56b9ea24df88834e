/** Who there is, who lives, and what waits for whom. */
import type { OutputOf } from "../../src/contract/operations/index.ts";
import { api } from "./api.ts";
import { store } from "./store.ts";

export type Agent = OutputOf<"agents.list">["agents"][number];

export const agents = store<readonly Agent[]>({
  fetch: async () => (await api.agents.list({})).agents,
  changedBy: () => true,
});

export const mailOf = (agent: string) => api.mailbox.list({ agent, limit: 100 });
export const threadsOf = (agent: string) => api.threads.list({ agent, limit: 20 });
export const sendTo = (to: string, message: string) => api.mailbox.send({ to, message });
