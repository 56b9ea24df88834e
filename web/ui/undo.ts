/** What can be taken back. Each thing has its own toast with its own Undo; `z` takes back the last, then the one before. */
import { signal } from "@preact/signals";
import { say } from "./toasts.tsx";

interface Undoable {
  /** What was done, in the past tense. */
  text: string;
  detail?: string;
  /** Takes exactly this back. */
  undo(): void;
  /** For how long it can be taken back. */
  seconds?: number;
}

interface Pending {
  undo(): void;
}

const stack = signal<readonly Pending[]>([]);

const leave = (one: Pending) => {
  stack.value = stack.peek().filter((other) => other !== one);
};

/** Tells what was done and offers the way back. The answer forgets it: it was not done after all. */
export function undoable({ text, detail, undo, seconds = 9 }: Undoable): () => void {
  const pending: Pending = {
    undo() {
      leave(pending);
      close();
      undo();
    },
  };
  const close = say({
    text,
    ...(detail && { detail }),
    seconds,
    action: { label: "Undo", key: "Z", run: () => pending.undo() },
    onClose: () => leave(pending),
  });
  stack.value = [...stack.peek(), pending];
  return close;
}

export function undoLast(): void {
  const last = stack.peek().at(-1);
  if (last) last.undo();
  else say({ text: "There is nothing to undo" });
}
