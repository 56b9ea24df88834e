/** The tabs, in the order they are shown, and the letter that follows `g`. */
import type { Tab } from "./router.ts";

export const tabNames: Record<Tab, string> = {
  inbox: "Inbox",
  overview: "Overview",
  agents: "Agents",
  threads: "Threads",
  queue: "Queue",
  channels: "Channels",
  "dead-letters": "Dead letters",
};

export const tabLetters: Record<Tab, string> = {
  inbox: "i",
  overview: "o",
  agents: "a",
  threads: "t",
  queue: "q",
  channels: "c",
  "dead-letters": "d",
};

export const shownTabs = Object.keys(tabNames) as Tab[];
