/** What tasks have cost, by day. */
import type { OutputOf } from "../../src/contract/operations/index.ts";
import { api } from "./api.ts";
import { store } from "./store.ts";

export type Costs = OutputOf<"costs.show">;

export const costs = store<Costs>({
  fetch: () => api.costs.show({ days: 30 }),
  changedBy: ({ eventType }) => /^(task\.(started|finished|retried|used)|costs\.)/.test(eventType),
});
