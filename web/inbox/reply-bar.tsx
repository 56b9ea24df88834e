/** The answer: one of the offered choices, or text. It goes to the agent that asked, and wakes it. */
import { useSignal } from "@preact/signals";
import { me } from "../data/api.ts";
import type { Entry } from "../data/entries.ts";
import { answer } from "../data/entry-actions.ts";
import { Letter, NoReceiver } from "../ui/composer.tsx";
import { SessionLink } from "./session-link.tsx";

export function ReplyBar({ entry, to, back }: { entry: Entry; to: string | null; back: string | null }) {
  if (to === null) return <NoReceiver>Nobody can be answered: the workspace was removed.</NoReceiver>;
  if (to === me) return <NoReceiver>You wrote this yourself: there is nobody to reply to.</NoReceiver>;
  return (
    <Letter
      to={to}
      draft={`entry ${entry.id}`}
      actions={<SessionLink agent={to} back={back} />}
      onSend={(message) => answer(entry, { message })}
    >
      {entry.choices && <Choices entry={entry} choices={entry.choices} />}
    </Letter>
  );
}

function Choices({ entry, choices }: { entry: Entry; choices: readonly string[] }) {
  const sending = useSignal(false);
  const choose = async (choice: string) => {
    sending.value = true;
    await answer(entry, { choice });
    sending.value = false;
  };
  return (
    <div class="choices" role="group" aria-label="Answers">
      {choices.map((choice) => (
        <button
          key={choice}
          type="button"
          class="button choice"
          disabled={sending.value}
          onClick={() => void choose(choice)}
        >
          {choice}
        </button>
      ))}
    </div>
  );
}
