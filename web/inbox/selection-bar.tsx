/** What can be done with all that is selected. */
import type { Entry } from "../data/entries.ts";
import { answerAll } from "../data/entry-actions.ts";
import { useKeys } from "../keys.ts";
import { Icon } from "../ui/icon.tsx";
import type { EntryActions } from "./actions.ts";
import { wordsFor } from "./answer.tsx";
import { clearSelection, selected } from "./selection.ts";

interface Props extends EntryActions {
  /** What is selected. */
  entries: readonly Entry[];
}

/** The answers that all of these questions offer. Where one is no question, or is answered, there are none. */
function commonChoices(entries: readonly Entry[]): readonly string[] {
  const [first, ...others] = entries.map(({ choices, answeredAt }) =>
    answeredAt === null ? (choices ?? []) : [],
  );
  return (first ?? []).filter((choice) => others.every((choices) => choices.includes(choice))).slice(0, 9);
}

/** [U14] Several questions are answered at once, by the same keys as one. */
function Answers({ entries }: { entries: readonly Entry[] }) {
  const choices = commonChoices(entries);
  const choose = async (choice: string) => {
    const said = await wordsFor(choice);
    if (said && (await answerAll(entries, said))) clearSelection();
  };
  useKeys(Object.fromEntries(choices.map((choice, i) => [String(i + 1), () => void choose(choice)])));
  if (!choices.length) return null;
  return (
    <div class="choices" role="group" aria-label="Answer all">
      {choices.map((choice, i) => (
        <button key={choice} type="button" class="button choice" onClick={() => void choose(choice)}>
          <kbd>{i + 1}</kbd> {choice}
        </button>
      ))}
    </div>
  );
}

export const SelectionBar = ({ done, read, unread, snooze, remove, entries }: Props) => (
  <div class="selection" role="toolbar" aria-label="Selected entries">
    <strong>{selected.value.size} selected</strong>
    <Answers entries={entries} />
    {(
      [
        ["Done", done],
        ["Snooze", snooze],
        ["Mark read", read],
        ["Mark unread", unread],
        ["Delete", remove],
      ] as const
    ).map(([label, run]) => (
      <button key={label} type="button" class="button quiet" onClick={run}>
        {label}
      </button>
    ))}
    <button type="button" class="icon-button" aria-label="Clear the selection" onClick={clearSelection}>
      <Icon name="close" />
    </button>
  </div>
);
