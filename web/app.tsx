/** The frame around every tab: where to go, whether the line is up, and what lies on top. */
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { Agents } from "./agents/agents.tsx";
import { Switcher, switchAgents } from "./agents/switcher.tsx";
import { Channels } from "./channels/channels.tsx";
import { Compose, openCompose } from "./compose/compose.tsx";
import { locked } from "./data/api.ts";
import { attention, shownCount, unread } from "./data/counts.ts";
import { line } from "./data/line.ts";
import { queue } from "./data/tasks.ts";
import { DeadLetters } from "./dead-letters/dead-letters.tsx";
import { Help } from "./help.tsx";
import { Inbox } from "./inbox/inbox.tsx";
import { useKeys } from "./keys.ts";
import { Lock } from "./lock.tsx";
import { canNotify, notifies, toggleNotifications } from "./notify.ts";
import { Overview } from "./overview/overview.tsx";
import { openPalette, Palette } from "./palette/palette.tsx";
import { Queue } from "./queue/queue.tsx";
import { go, place, type Tab } from "./router.ts";
import { shownTabs, tabLetters, tabNames } from "./tabs.ts";
import { theme, themes } from "./theme.ts";
import { Threads } from "./threads/threads.tsx";
import { Asked } from "./ui/ask.tsx";
import { Icon } from "./ui/icon.tsx";
import { IconButton } from "./ui/icon-button.tsx";
import { Menu } from "./ui/menu.tsx";
import { modKey } from "./ui/mod-key.ts";
import { PlaceLink } from "./ui/place-link.tsx";
import { Toasts } from "./ui/toasts.tsx";
import { undoLast } from "./ui/undo.ts";

const helpOpen = signal(false);

const views: Record<Tab, ComponentType> = {
  inbox: Inbox,
  overview: Overview,
  agents: Agents,
  threads: Threads,
  queue: Queue,
  channels: Channels,
  "dead-letters": DeadLetters,
};

export function App() {
  useKeys({
    "?": () => {
      helpOpen.value = true;
    },
    "/": () => openPalette(""),
    "mod+k": () => openPalette(""),
    c: openCompose,
    "alt+a": () => switchAgents(1),
    "alt+A": () => switchAgents(-1),
    z: undoLast,
    "mod+z": undoLast,
    ...Object.fromEntries(
      Object.entries(tabLetters).map(([tab, letter]) => [`g ${letter}`, () => go({ tab: tab as Tab })]),
    ),
  });
  if (locked.value !== undefined) return <Lock why={locked.value} />;
  const { tab } = place.value;
  const View = views[tab];
  return (
    <div class="app" data-open={place.value.id !== undefined}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <SideBar tab={tab} />
      <main id="main" tabIndex={-1}>
        <LineState />
        <View key={tab} />
      </main>
      <Palette />
      <Asked />
      <Menu />
      <Compose />
      <Switcher />
      {helpOpen.value && (
        <Help
          onClose={() => {
            helpOpen.value = false;
          }}
        />
      )}
      <Toasts />
    </div>
  );
}

function SideBar({ tab }: { tab: Tab }) {
  const running = queue.value.value?.running.length ?? 0;
  const counts: Partial<Record<Tab, string>> = {
    ...(unread.value && { inbox: shownCount(unread.value) }),
    ...(running && { queue: String(running) }),
  };
  return (
    <header class="side-bar">
      <p class="product">Restante</p>
      <button type="button" class="search-button" onClick={() => openPalette("")}>
        <Icon name="search" />
        <span class="label">Search</span>
        <kbd>/</kbd>
      </button>
      <button type="button" class="compose-button" title="Compose (c)" onClick={openCompose}>
        <Icon name="pen" />
        <span class="label">Compose</span>
        <kbd>c</kbd>
      </button>
      <nav aria-label="Tabs">
        {shownTabs.map((one) => (
          <PlaceLink
            key={one}
            class="tab"
            to={{ tab: one }}
            title={`${tabNames[one]} (g ${tabLetters[one]})`}
            current={one === tab ? "page" : undefined}
          >
            <Icon name={one} />
            <span class="label">{tabNames[one]}</span>
            {one === "inbox" && attention.value > 0 && (
              <span class="count needs" title="need you">
                {shownCount(attention.value)}
                <span class="hidden"> need you</span>
              </span>
            )}
            {counts[one] && <span class="count">{counts[one]}</span>}
          </PlaceLink>
        ))}
      </nav>
      <Settings />
    </header>
  );
}

function Settings() {
  const next = themes[(themes.indexOf(theme.value) + 1) % themes.length]!;
  return (
    <div class="settings">
      <IconButton
        icon={theme.value === "light" ? "sun" : theme.value === "dark" ? "moon" : "system"}
        label={`Theme: ${theme.value}. Change to ${next}`}
        title={`Theme: ${theme.value}`}
        onClick={() => {
          theme.value = next;
        }}
      />
      {canNotify && (
        <IconButton
          icon={notifies.value ? "bell" : "bell-off"}
          label="Desktop notifications"
          title={notifies.value ? "Notifications are on" : "Notifications are off"}
          pressed={notifies.value}
          onClick={() => void toggleNotifications()}
        />
      )}
      <IconButton
        icon="help"
        label="Keyboard shortcuts"
        hotkey="?"
        onClick={() => {
          helpOpen.value = true;
        }}
      />
      <IconButton
        icon="more"
        label="More commands"
        short="More"
        hotkey={`${modKey}K`}
        onClick={() => openPalette("")}
      />
    </div>
  );
}

const LineState = () => (
  <div class="line-state" role="status" data-line={line.value}>
    {line.value === "lost" && (
      <span>
        <Icon name="refresh" /> The hub cannot be reached. Reconnecting; what happens meanwhile is shown
        afterwards.
      </span>
    )}
  </div>
);
