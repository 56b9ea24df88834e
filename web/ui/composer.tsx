/**
 * A field to write in, and its button. Ctrl or ⌘ with Enter sends. It says who gets the text and whether somebody will
 * read it; what is written and not sent is kept as a draft.
 */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { draftOf, keepDraft } from "../data/drafts.ts";
import { readerOf } from "../data/readers.ts";
import { goOn, type Task } from "../data/tasks.ts";
import { attempt } from "./attempt.ts";
import { modKey, withMod } from "./mod-key.ts";
import { Receiver } from "./receiver.tsx";
import { say } from "./toasts.tsx";

interface Props {
  /** Under which name it is kept while it is not sent. */
  draft: string;
  label: string;
  button?: string;
  /** It can be sent without a word: something else goes with it. */
  alone?: boolean;
  /** Whether it worked: then the field is emptied. */
  onSend(text: string): Promise<boolean>;
  /** Beside the button: who gets it. */
  receiver: ComponentChildren;
  /** More buttons. */
  actions?: ComponentChildren;
  /** Above the field. */
  children?: ComponentChildren;
}

export function Composer({
  draft,
  label,
  button = "Send",
  alone = false,
  onSend,
  receiver,
  actions,
  children,
}: Props) {
  const sending = useSignal(false);
  const text = draftOf(draft);
  const submit = async () => {
    const given = text.trim();
    if ((given === "" && !alone) || sending.value) return;
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
          <button
            type="submit"
            class="button primary"
            disabled={sending.value || (text.trim() === "" && !alone)}
          >
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

/** To an agent by name. A sub-agent that has ended reads nothing: its session goes on with the text, or it is started again. */
export function Letter({ to, verb = "Reply to", onSend, ...rest }: LetterProps) {
  const reader = readerOf(to);
  const ended: Task | undefined = reader.state === "ended" ? reader.task : undefined;
  return (
    <Composer
      {...rest}
      label={`${verb} ${to}`}
      receiver={<Receiver name={to} />}
      button={ended ? (ended.session === null ? `Start ${to} again` : `Continue ${to}`) : "Send"}
      onSend={(text) => (ended ? goOnWith(ended, text) : onSend(text))}
    />
  );
}

const goOnWith = (task: Task, text: string) =>
  attempt(async () => {
    const how = await goOn(task, text);
    say({
      text:
        how === "turn"
          ? `${task.name} goes on with your message`
          : `Started ${task.name} again with your message`,
    });
  });

/** Where nobody could get it. */
export const NoReceiver = ({ children }: { children: ComponentChildren }) => (
  <p class="reply-bar no-receiver">
    <span class="hint">{children}</span>
  </p>
);
