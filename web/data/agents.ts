/** Who there is, who lives, and what waits for whom. */
import { signal } from "@preact/signals";
import type { OutputOf } from "../../src/contract/operations/index.ts";
import { api, problemOf } from "./api.ts";
import { coalesced } from "./coalesce.ts";

export type Agent = OutputOf<"agents.list">["agents"][number];
export const agents = signal<readonly Agent[]>([]);
export const loaded = signal(false);
export const problem = signal<ReturnType<typeof problemOf> | undefined>();

export const loadAgents = coalesced(async () => {
  try {
    agents.value = (await api.agents.list({})).agents;
    loaded.value = true;
    problem.value = undefined;
  } catch (error) {
    problem.value = problemOf(error);
  }
});

export const mailOf = (agent: string) => api.mailbox.list({ agent, limit: 100 });
export const threadsOf = (agent: string) => api.threads.list({ agent, limit: 20 });
export const sendTo = (to: string, message: string) => api.mailbox.send({ to, message });
