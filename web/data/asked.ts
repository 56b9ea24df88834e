/** [U14] The question that each sub-agent waits for the person to answer. */
import type { Entry } from "../../src/contract/entry.ts";
import { api } from "./api.ts";
import { store, useStore } from "./store.ts";

const asked = store<ReadonlyMap<string, Entry>>({
  fetch: async () => {
    const { entries } = await api.entries.history({ needsYou: true, folder: "all", limit: 100 });
    // Also what was archived or snoozed: whoever asked still waits.
    // The newest come first: of several the one stays that has waited longest.
    return new Map(
      entries.flatMap((entry) => (entry.needs === "answer" && entry.sender ? [[entry.sender, entry]] : [])),
    );
  },
  changedBy: ({ eventType, payload }) => /^entr(y|ies)\./.test(eventType) || payload.to === "user",
});

export const useAsked = (): ReadonlyMap<string, Entry> | undefined => useStore(asked).value;
