/** The answer: one of the offered choices, or words. It goes to whoever asked, and wakes it. */
import { useSignal } from "@preact/signals";
import type { Entry } from "../data/entries.ts";
import { answer } from "../data/entry-actions.ts";
import { modKey } from "../ui/mod-key.ts";
import { SessionLink } from "./session-link.tsx";

export function ReplyBar({ entry, to, back }: { entry: Entry; to: string | null; back: string | null }) {
  const text = useSignal("");
  const sending = useSignal(false);
  const send = async (reply: { message?: string; choice?: string }) => {
    if (sending.value) return;
    sending.value = true;
    const done = await answer(entry, reply);
    sending.value = false;
    if (done && reply.message !== undefined) text.value = "";
  };
  const submit = () => text.value.trim() !== "" && void send({ message: text.value.trim() });
  const keys = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    submit();
  };
  if (to === null) return null;
  return (
    <form
      class="reply-bar"
      aria-label="Reply"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {entry.choices && (
        <div class="choices" role="group" aria-label="Answers">
          {entry.choices.map((choice) => (
            <button
              key={choice}
              type="button"
              class="button choice"
              disabled={sending.value}
              onClick={() => void send({ choice })}
            >
              {choice}
            </button>
          ))}
        </div>
      )}
      <div class="reply-field">
        <textarea
          dir="auto"
          rows={1}
          aria-label={`Reply to ${to}`}
          placeholder={`Reply to ${to}…`}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
          onKeyDown={keys}
        />
        <div class="reply-actions">
          {entry.answeredAt ? (
            <span class="hint">You have answered.</span>
          ) : (
            <span class="hint">It wakes {to} if it waits.</span>
          )}
          <SessionLink agent={to} back={back} />
          <button type="submit" class="button primary" disabled={sending.value || text.value.trim() === ""}>
            Send <kbd>{modKey}↵</kbd>
          </button>
        </div>
      </div>
    </form>
  );
}
