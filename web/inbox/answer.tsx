/** [U10] The answers that a question offers, under the question; once one is given, who gave it and when. */
import { useSignal } from "@preact/signals";
import { approvalChoices } from "../../src/contract/question.ts";
import { me } from "../data/api.ts";
import type { ChannelMessage } from "../data/channels.ts";
import type { Entry } from "../data/entries.ts";
import { answer, type Reply } from "../data/entry-actions.ts";
import { useKeys } from "../keys.ts";
import { askText } from "../ui/ask-text.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { Said } from "../ui/said.tsx";
import { Age } from "../ui/time.tsx";
import { selected } from "./selection.ts";

interface Props {
  entry: Entry;
  /** What the person has written about it. */
  replies: readonly ChannelMessage[];
}

export const Answer = ({ entry, replies }: Props) => (
  <>
    <Outcome entry={entry} told={replies.some(({ content }) => content === entry.answer)} />
    {replies.length > 0 && (
      <ol class="timeline" aria-label="Your replies">
        {replies.map(({ id, sender, createdAt, content }) => (
          <Said key={id} sender={sender} at={createdAt} text={content} />
        ))}
      </ol>
    )}
  </>
);

/** `told`: the answer is shown in full below. */
function Outcome({ entry, told }: { entry: Entry; told: boolean }) {
  const changing = useSignal(false);
  // Whoever asked has closed it: nobody answered in time, and another answer would reach nobody.
  if (entry.answeredAt && entry.answeredBy !== null && entry.answeredBy === entry.sender)
    return (
      <p class="answered" data-closed role="status">
        Not answered in time, <strong>{entry.answer}</strong> <Age at={entry.answeredAt} />
      </p>
    );
  if (entry.answeredAt && !changing.value)
    return (
      <p class="answered" role="status">
        {entry.answeredBy === me ? "You" : (entry.answeredBy ?? "Somebody")} answered{" "}
        {entry.answer && !told && <strong>{entry.answer}</strong>} <Age at={entry.answeredAt} />
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

/** What is sent for a choice; undefined where the person thought better of it. */
export async function wordsFor(choice: string): Promise<Reply | undefined> {
  if (choice !== approvalChoices.denyAndSay) return { choice };
  const message = await askText({ title: "Deny, and say why", label: "Why not", button: "Deny" });
  return message === undefined ? undefined : { choice, message };
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
    const said = await wordsFor(choice);
    if (said && (await answer(entry, { ...said, ...(change && { change }) }))) onDone();
    sending.value = false;
  };
  // Where several are selected the numbers answer these.
  useKeys(
    selected.value.size
      ? {}
      : Object.fromEntries(
          choices.slice(0, 9).map((choice, i) => [String(i + 1), () => void choose(choice)]),
        ),
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
          {i < 9 && selected.value.size === 0 && <kbd>{i + 1}</kbd>} {choice}
        </button>
      ))}
    </div>
  );
}
