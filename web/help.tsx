/** Every key. */
import { shownTabs, tabLetters, tabNames } from "./tabs.ts";
import { Dialog } from "./ui/dialog.tsx";
import { Icon } from "./ui/icon.tsx";
import { modKey } from "./ui/mod-key.ts";

const groups = (): [string, [keys: string[], what: string][]][] => [
  [
    "In every list",
    [
      [["j", "k"], "next, previous"],
      [["Enter"], "open, and go to it"],
      [["Esc"], "back"],
      [["/"], "search, and commands"],
      [[`${modKey}K`], "the same, from anywhere"],
      [["?"], "this help"],
    ],
  ],
  [
    "In the inbox",
    [
      [["r"], "reply"],
      [["e"], "read, and on to the next"],
      [["u"], "unread again"],
      [["Del"], "delete"],
      [["z"], "undo"],
      [["x"], "select"],
      [["J", "K"], "select down, up"],
      [[`${modKey}↵`], "send the reply"],
    ],
  ],
  ["Go to", shownTabs.map((tab): [string[], string] => [["g", tabLetters[tab]], tabNames[tab]])],
];

export const Help = ({ onClose }: { onClose(): void }) => (
  <Dialog label="Keyboard shortcuts" class="help" onClose={onClose}>
    <header>
      <h1>Keyboard</h1>
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
