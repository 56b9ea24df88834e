/**
 * A field to write in, and its button. Ctrl or ⌘ with Enter sends. It says who gets the text and whether somebody will
 * read it; what is written and not sent is kept as a draft.
 */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { draftOf, keepDraft } from "../data/drafts.ts";
import { readerOf } from "../data/readers.ts";
import { startAgain, type Task } from "../data/tasks.ts";
import { attempt } from "./attempt.ts";
import { modKey, withMod } from "./mod-key.ts";
import { Receiver } from "./receiver.tsx";

interface Props {
  /** Under which name it is kept while it is not sent. */
  draft: string;
  label: string;
  button?: string;
  /** Whether it worked: then the field is emptied. */
  onSend(text: string): Promise<boolean>;
  /** Beside the button: who gets it. */
  receiver: ComponentChildren;
  /** More buttons. */
  actions?: ComponentChildren;
  /** Above the field. */
  children?: ComponentChildren;
}

export function Composer({ draft, label, button = "Send", onSend, receiver, actions, children }: Props) {
  const sending = useSignal(false);
  const text = draftOf(draft);
  const submit = async () => {
    const given = text.trim();
    if (given === "" || sending.value) return;
    sending.value = true;
    const done = await onSend(given);
    sending.value = false;
    // What was typed on while it was sent is not sent.
    if (done && draftOf(draft).trim() === given) keepDraft(draft, "");
  };
  return (
    <form
      class="reply-bar"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {children}
      <div class="reply-field">
        <textarea
          dir="auto"
          rows={1}
          aria-label={label}
          placeholder={`${label}…`}
          value={text}
          onInput={(event) => keepDraft(draft, event.currentTarget.value)}
          onKeyDown={withMod("Enter", () => void submit())}
        />
        <div class="reply-actions">
          {receiver}
          {actions}
          <button type="submit" class="button primary" disabled={sending.value || text.trim() === ""}>
            {button} <kbd>{modKey}↵</kbd>
          </button>
        </div>
      </div>
    </form>
  );
}

interface LetterProps extends Omit<Props, "receiver" | "button" | "label"> {
  to: string;
  verb?: string;
}

/** To an agent by name. A sub-agent that has ended reads nothing: it is started again with the text instead. */
export function Letter({ to, verb = "Reply to", onSend, ...rest }: LetterProps) {
  const reader = readerOf(to);
  const ended: Task | undefined = reader.state === "ended" ? reader.task : undefined;
  return (
    <Composer
      {...rest}
      label={`${verb} ${to}`}
      receiver={<Receiver name={to} />}
      button={ended ? `Start ${to} again` : "Send"}
      onSend={(text) =>
        ended ? attempt(() => startAgain(ended, text), `Started ${to} again with your message`) : onSend(text)
      }
    />
  );
}

/** Where nobody could get it. */
export const NoReceiver = ({ children }: { children: ComponentChildren }) => (
  <p class="reply-bar no-receiver">
    <span class="hint">{children}</span>
  </p>
);
