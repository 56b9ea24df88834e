/** Searches that have seen all that was written before: how far the first one gets is a matter of time, and it says so. */
import type { InputOf, OutputOf } from "../../src/contract/operations/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { until } from "./until.ts";

export const searched = (inbox: Inbox, input: InputOf<"search.find">): Promise<OutputOf<"search.find">> =>
  until("a search has seen everything", async () => {
    const answer = await inbox.call("search.find", input);
    return answer.complete ? answer : undefined;
  });
