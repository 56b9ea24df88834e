/** The rest of what was said in an entry's thread, before it and after it, with the person's own words. */
import type { Entry } from "../data/entries.ts";
import type { Message } from "../data/threads.ts";
import { KindTag, Summary } from "../threads/message-parts.tsx";
import { Said } from "../ui/said.tsx";

interface Props {
  entry: Entry;
  messages: readonly Message[];
  which: "before" | "after";
}

export function Conversation({ entry, messages, which }: Props) {
  const at = messages.findIndex(({ messageId }) => messageId === entry.messageId);
  if (at < 0) return null;
  const some = which === "before" ? messages.slice(0, at) : messages.slice(at + 1);
  if (!some.length) return null;
  const list = (
    <ol class="timeline">
      {some.map((message) => (
        <Said
          key={message.messageId}
          sender={message.fromAgent}
          at={message.createdAt}
          text={message.body || message.summary}
          about={message.kind !== "event" && <KindTag message={message} />}
          above={<Summary message={message} />}
        />
      ))}
    </ol>
  );
  // What is known already is folded; what came after is the news.
  if (which === "after") return list;
  return (
    <details class="earlier">
      <summary>
        {some.length === 1 ? "1 earlier message" : `${some.length} earlier messages`} in this thread
      </summary>
      {list}
    </details>
  );
}
