/** Asks for a few words before something is done. */
import { signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Dialog } from "./dialog.tsx";

interface Question {
  title: string;
  label: string;
  /** What is done, as the button says it. */
  button: string;
}

const asked = signal<(Question & { answer(text: string | undefined): void }) | undefined>(undefined);

/** The words; undefined where the person wants it no more. */
export function askText(question: Question): Promise<string | undefined> {
  asked.peek()?.answer(undefined);
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const answer = (text: string | undefined) => {
    asked.value = undefined;
    resolve(text);
  };
  asked.value = { ...question, answer };
  return promise;
}

export function AskedText() {
  if (!asked.value) return null;
  return <AskTextDialog key={asked.value.title} {...asked.value} />;
}

function AskTextDialog({ title, label, button, answer }: NonNullable<typeof asked.value>) {
  const field = useRef<HTMLInputElement>(null);
  const text = useSignal("");
  useLayoutEffect(() => field.current?.focus(), []);
  return (
    <Dialog label={title} class="small" onClose={() => answer(undefined)}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.value.trim()) answer(text.value.trim());
        }}
      >
        <h1>{title}</h1>
        <label>
          {label}
          <input
            ref={field}
            dir="auto"
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value;
            }}
          />
        </label>
        <div class="card-actions">
          <button type="button" class="button quiet" onClick={() => answer(undefined)}>
            Cancel
          </button>
          <button type="submit" class="button" disabled={text.value.trim() === ""}>
            {button}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
