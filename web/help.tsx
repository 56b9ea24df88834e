/** The keyboard shortcuts. */
import { shownTabs, tabLetters, tabNames } from "./tabs.ts";
import { Dialog } from "./ui/dialog.tsx";
import { Icon } from "./ui/icon.tsx";
import { modKey } from "./ui/mod-key.ts";

const groups = (): [string, [keys: string[], what: string][]][] => [
  [
    "In every list",
    [
      [["j", "k"], "next, previous"],
      [["Enter"], "into what is open"],
      [["Space"], "scroll what is open"],
      [["Esc"], "close; j goes on from there"],
      [["c"], "compose, or start a sub-agent"],
      [["z"], "undo, again and again"],
      [["/"], "search and commands"],
      [[`${modKey}K`], "the same, also while typing"],
      [["r"], "reply"],
      [["?"], "this help"],
    ],
  ],
  ["Go to", shownTabs.map((tab): [string[], string] => [["g", tabLetters[tab]], tabNames[tab]])],
  [
    "In the inbox",
    [
      [["e"], "done; opens the next unread"],
      [["1–9"], "answer, also all selected"],
      [["h"], "snooze"],
      [["m"], "mute"],
      [["d"], "what changed since you last read it"],
      [["I", "u"], "mark as read, as unread"],
      [["A"], "mark all as read"],
      [["x"], "select"],
      [["J", "K"], "grow or shrink the selection"],
      [[`${modKey}A`], "select all"],
      [["Del"], "delete"],
      [[`${modKey}↵`], "send the reply"],
    ],
  ],
  [
    "In the queue",
    [
      [["n"], "new task"],
      [["Alt ↑", "Alt ↓"], "move up, move down"],
      [["Del"], "remove"],
    ],
  ],
  [
    "Agents",
    [
      [["Alt A"], "hold: switch, last used first"],
      [["w"], "close its tab"],
      [["n", "p"], "in changes: next file, previous"],
      [["j", "k"], "in changes: next line, previous"],
      [["c"], "in changes: comment on the line"],
    ],
  ],
  [
    "In dead letters",
    [
      [["e"], "requeue"],
      [["Del"], "delete for good"],
    ],
  ],
];

export const Help = ({ onClose }: { onClose(): void }) => (
  <Dialog label="Keyboard shortcuts" class="help" onClose={onClose}>
    <header>
      <h1>Keyboard shortcuts</h1>
      <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
        <Icon name="close" />
      </button>
    </header>
    <div class="help-groups" tabIndex={0} role="region" aria-label="Keys">
      {groups().map(([title, keys]) => (
        <section key={title}>
          <h2>{title}</h2>
          <dl>
            {keys.map(([names, what]) => (
              <div key={what}>
                <dt>
                  {names.map((name) => (
                    <kbd key={name}>{name}</kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  </Dialog>
);
