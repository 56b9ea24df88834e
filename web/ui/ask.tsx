/** Asks before something is done that cannot be taken back. */
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Dialog } from "./dialog.tsx";

interface Question {
  title: string;
  /** What it means for others. */
  text: string;
  /** What is done, as the button says it. */
  button: string;
}

const asked = signal<(Question & { answer(yes: boolean): void }) | undefined>(undefined);

/** Whether the person wants it. */
export function ask(question: Question): Promise<boolean> {
  asked.peek()?.answer(false);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const answer = (yes: boolean) => {
    asked.value = undefined;
    resolve(yes);
  };
  asked.value = { ...question, answer };
  return promise;
}

export function Asked() {
  if (!asked.value) return null;
  return <AskDialog key={asked.value.title} {...asked.value} />;
}

function AskDialog({ title, text, button, answer }: NonNullable<typeof asked.value>) {
  const yes = useRef<HTMLButtonElement>(null);
  // At once: the next key may be Enter.
  useLayoutEffect(() => yes.current?.focus(), []);
  return (
    <Dialog label={title} class="small" onClose={() => answer(false)}>
      <div class="dialog-form">
        <h1>{title}</h1>
        <p class="hint">{text}</p>
        <div class="card-actions">
          <button type="button" class="button quiet" onClick={() => answer(false)}>
            Keep it
          </button>
          <button type="button" class="button danger" ref={yes} onClick={() => answer(true)}>
            {button}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
