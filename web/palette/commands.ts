/** The commands that `Ctrl K` offers by name. */
import { openCompose } from "../compose/compose.tsx";
import { hasToken } from "../data/api.ts";
import type { View } from "../data/entries.ts";
import { workspaces } from "../data/workspaces.ts";
import { canNotify, notifies, signOut, toggleNotifications } from "../notify.ts";
import { go, setQuery } from "../router.ts";
import { shownTabs, tabLetters, tabNames } from "../tabs.ts";
import { theme, themes } from "../theme.ts";
import type { IconName } from "../ui/icon.tsx";

export interface Command {
  icon: IconName;
  name: string;
  keys?: string[];
  run(): void;
}

export function commands(): Command[] {
  const inbox = (filter: { show?: View; workspace?: string }) => () => {
    go({ tab: "inbox" });
    setQuery({ show: undefined, workspace: undefined, day: undefined, ...filter });
  };
  return [
    ...shownTabs.map(
      (tab): Command => ({
        icon: tab,
        name: `Go to ${tabNames[tab]}`,
        keys: ["g", tabLetters[tab]],
        run: () => go({ tab }),
      }),
    ),
    { icon: "unread", name: "Show unread entries only", run: inbox({ show: "unread" }) },
    { icon: "warning", name: "Show what needs you", run: inbox({ show: "needs" }) },
    { icon: "clock", name: "Show snoozed entries", run: inbox({ show: "snoozed" }) },
    { icon: "check", name: "Show the archive", run: inbox({ show: "archive" }) },
    { icon: "inbox", name: "Show all entries", run: inbox({}) },
    ...(workspaces.value.value ?? []).map(
      ({ workspaceId, label }): Command => ({
        icon: "folder",
        name: `Workspace: ${label}`,
        run: inbox({ workspace: workspaceId }),
      }),
    ),
    ...themes.map(
      (one): Command => ({
        icon: one === "light" ? "sun" : one === "dark" ? "moon" : "system",
        name: `Theme: ${one}`,
        run: () => {
          theme.value = one;
        },
      }),
    ),
    ...(canNotify
      ? [
          {
            icon: notifies.value ? ("bell-off" as const) : ("bell" as const),
            name: notifies.value ? "Turn desktop notifications off" : "Turn desktop notifications on",
            run: () => void toggleNotifications(),
          },
        ]
      : []),
    { icon: "pen", name: "Compose a message or start a sub-agent", keys: ["c"], run: openCompose },
    ...(hasToken
      ? [
          {
            icon: "close" as const,
            name: "Sign out: forget the token in this browser",
            run: () => void signOut(),
          },
        ]
      : []),
    {
      icon: "code",
      name: "Open the API reference",
      run: () => window.open("/docs/api", "_blank", "noopener"),
    },
  ];
}

/** Every word must be somewhere in the name. */
export const fits = (name: string, words: string) =>
  words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => name.toLowerCase().includes(word));
