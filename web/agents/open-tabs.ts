/**
 * Agents that were opened, as tabs: in the order they were opened, and in the order they were used. Walking through the
 * list with keys uses one tab for all that is passed by.
 */
import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { go, skimming } from "../router.ts";

interface OpenTab {
  name: string;
  /** It was passed by: the next one that is passed by takes its place. */
  passing?: boolean;
}

const key = "inbox-agent-tabs";
const recentKey = "inbox-agent-tabs-used";
/** One more closes the one that was not used for longest. */
const most = 12;

function stored(under: string): string[] {
  try {
    const names: unknown = JSON.parse(sessionStorage.getItem(under) ?? "[]");
    return Array.isArray(names) ? names.map(String) : [];
  } catch {
    return [];
  }
}

export const openTabs = signal<readonly OpenTab[]>(stored(key).map((name) => ({ name })));
/** The last used first. */
export const recent = signal<readonly string[]>(stored(recentKey));

function use(names: readonly string[]): void {
  recent.value = names.slice(0, 4 * most);
  sessionStorage.setItem(recentKey, JSON.stringify(recent.peek()));
}

function keep(tabs: readonly OpenTab[]): void {
  openTabs.value = tabs;
  sessionStorage.setItem(key, JSON.stringify(tabs.map(({ name }) => name)));
}

function open(name: string, passing: boolean): void {
  const tabs = openTabs.peek();
  use([name, ...recent.peek().filter((other) => other !== name)]);
  if (tabs.some((tab) => tab.name === name)) {
    if (!passing) keep(tabs.map((tab) => (tab.name === name ? { name } : tab)));
    return;
  }
  const rest = passing ? tabs.filter((tab) => !tab.passing) : tabs;
  const oldest = rest.length >= most && recent.peek().findLast((one) => rest.some((tab) => tab.name === one));
  keep([...rest.filter((tab) => tab.name !== oldest), { name, ...(passing && { passing }) }]);
}

/**
 * What is open in the tab of agents is a tab of its own. Before it is drawn: whoever sees it may press a key at once, and
 * an effect that comes after that would let the key go by the order of before.
 */
export function useOpenTabs(id: string | undefined): void {
  useLayoutEffect(() => {
    if (id !== undefined) open(id, skimming());
  }, [id]);
}

/** Closes a tab; where it was open, the one that was used before it is opened. */
export function closeTab(name: string, current: string | undefined): void {
  keep(openTabs.peek().filter((tab) => tab.name !== name));
  use(recent.peek().filter((one) => one !== name));
  if (name !== current) return;
  const left = new Set(openTabs.peek().map((tab) => tab.name));
  const next = recent.peek().find((one) => left.has(one));
  go({ tab: "agents", ...(next !== undefined && { id: next }) });
}
