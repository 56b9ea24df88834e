/** The person's own words. They go to the agent that wrote, and wake it. */
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
    />
  );
}
