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
      [["Enter"], "open, and focus it"],
      [["Esc"], "close, or back to the list"],
      [["/"], "search and commands"],
      [[`${modKey}K`], "the same, also while typing"],
      [["r"], "reply"],
      [["?"], "this help"],
    ],
  ],
  [
    "In the inbox",
    [
      [["e"], "mark as read, open the next"],
      [["u"], "mark as unread"],
      [["Del"], "delete"],
      [["z"], "undo delete"],
      [["x"], "select"],
      [["J", "K"], "grow or shrink the selection"],
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
    "In dead letters",
    [
      [["e"], "requeue"],
      [["Del"], "delete for good"],
    ],
  ],
  ["Go to", shownTabs.map((tab): [string[], string] => [["g", tabLetters[tab]], tabNames[tab]])],
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
