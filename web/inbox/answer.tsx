/** [U10] The answers that a question offers, under the question; once one is given, who gave it and when. */
import { useSignal } from "@preact/signals";
import type { Entry } from "../data/entries.ts";
import { answer } from "../data/entry-actions.ts";
import { useKeys } from "../keys.ts";
import { LinkButton } from "../ui/link-button.tsx";
import { Age } from "../ui/time.tsx";

export function Answer({ entry }: { entry: Entry }) {
  const changing = useSignal(false);
  if (entry.answeredAt && !changing.value)
    return (
      <p class="answered" role="status">
        {entry.answeredBy ?? "Somebody"} answered {entry.answer && <strong>{entry.answer}</strong>}{" "}
        <Age at={entry.answeredAt} />
        {entry.choices && (
          <>
            {" · "}
            <LinkButton
              onClick={() => {
                changing.value = true;
              }}
            >
              Change the answer
            </LinkButton>
          </>
        )}
      </p>
    );
  if (!entry.choices) return null;
  return (
    <Choices
      entry={entry}
      choices={entry.choices}
      onDone={() => {
        changing.value = false;
      }}
    />
  );
}

interface ChoicesProps {
  entry: Entry;
  choices: readonly string[];
  onDone(): void;
}

function Choices({ entry, choices, onDone }: ChoicesProps) {
  const sending = useSignal(false);
  const change = entry.answeredAt !== null;
  const choose = async (choice: string) => {
    if (sending.value) return;
    sending.value = true;
    if (await answer(entry, { choice, ...(change && { change }) })) onDone();
    sending.value = false;
  };
  useKeys(
    Object.fromEntries(choices.slice(0, 9).map((choice, i) => [String(i + 1), () => void choose(choice)])),
  );
  return (
    <div class="choices" role="group" aria-label={change ? "Another answer" : "Answers"}>
      {choices.map((choice, i) => (
        <button
          key={choice}
          type="button"
          class="button choice"
          aria-pressed={change ? choice === entry.answer : undefined}
          disabled={sending.value}
          onClick={() => void choose(choice)}
        >
          {i < 9 && <kbd>{i + 1}</kbd>} {choice}
        </button>
      ))}
    </div>
  );
}
