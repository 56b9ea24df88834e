/** The person's own words. They go to the agent that wrote, and wake it. */
import { me } from "../data/api.ts";
import type { Entry } from "../data/entries.ts";
import { answer } from "../data/entry-actions.ts";
import { taskNamed } from "../data/tasks.ts";
import { canDecide } from "../review/review-bar.tsx";
import { go, setQuery } from "../router.ts";
import { Letter, NoReceiver } from "../ui/composer.tsx";
import { Icon } from "../ui/icon.tsx";
import { SessionLink } from "./session-link.tsx";

/** [U14] From the result of a task to what it has changed, while that is to be decided. */
function ReviewLink({ name }: { name: string }) {
  const task = taskNamed(name);
  if (!task || !canDecide(task)) return null;
  const review = () => {
    go({ tab: "agents", id: name });
    setQuery({ view: "changes" });
  };
  return (
    <button type="button" class="button quiet" onClick={review}>
      <Icon name="file" /> Review changes
    </button>
  );
}

export function ReplyBar({ entry, to, back }: { entry: Entry; to: string | null; back: string | null }) {
  if (to === null) return <NoReceiver>Nobody can be answered: the workspace was removed.</NoReceiver>;
  if (to === me) return <NoReceiver>You wrote this yourself: there is nobody to reply to.</NoReceiver>;
  return (
    <Letter
      to={to}
      draft={`entry ${entry.id}`}
      actions={
        <>
          <ReviewLink name={to} />
          {entry.failure?.task !== to && <SessionLink agent={to} back={back} />}
        </>
      }
      onSend={(message) => answer(entry, { message })}
    />
  );
}
