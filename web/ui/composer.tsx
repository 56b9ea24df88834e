/** A field to write in, and its button. Ctrl or ⌘ with Enter sends. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { modKey, withMod } from "./mod-key.ts";

interface Props {
  label: string;
  button?: string;
  /** Whether it worked: then the field is emptied. */
  onSend(text: string): Promise<boolean>;
  /** Beside the button: what sending does. */
  hint: ComponentChildren;
  /** More buttons. */
  actions?: ComponentChildren;
  /** Above the field. */
  children?: ComponentChildren;
}

export function Composer({ label, button = "Send", onSend, hint, actions, children }: Props) {
  const text = useSignal("");
  const sending = useSignal(false);
  const submit = async () => {
    const given = text.value.trim();
    if (given === "" || sending.value) return;
    sending.value = true;
    const done = await onSend(given);
    sending.value = false;
    if (done) text.value = "";
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
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
          onKeyDown={withMod("Enter", () => void submit())}
        />
        <div class="reply-actions">
          <span class="hint">{hint}</span>
          {actions}
          <button type="submit" class="button primary" disabled={sending.value || text.value.trim() === ""}>
            {button} <kbd>{modKey}↵</kbd>
          </button>
        </div>
      </div>
    </form>
  );
}
