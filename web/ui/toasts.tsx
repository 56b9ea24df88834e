/** Short words about what was done, with a way back where there is one. */
import { signal } from "@preact/signals";
import { Icon } from "./icon.tsx";

interface Toast {
  text: string;
  detail?: string;
  tone?: "good" | "bad";
  action?: { label: string; key?: string; run(): void };
  seconds?: number;
  onClose?(): void;
}

const shown = signal<readonly (Toast & { id: number; close(): void })[]>([]);
let count = 0;

/** Shows a toast, and returns the function that removes it. */
export function say(toast: Toast): () => void {
  const id = ++count;
  let over = false;
  const close = () => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    shown.value = shown.peek().filter((one) => one.id !== id);
    toast.onClose?.();
  };
  const timer = setTimeout(close, (toast.seconds ?? (toast.tone === "bad" ? 8 : 4)) * 1000);
  shown.value = [...shown.peek().slice(-3), { ...toast, id, close }];
  return close;
}

export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {shown.value.map(({ id, text, detail, tone, action, close }) => (
      <div key={id} class="toast" data-tone={tone ?? "good"}>
        <div class="toast-text">
          <span>{text}</span>
          {detail && <small>{detail}</small>}
        </div>
        {action && (
          <button type="button" class="button quiet" onClick={action.run}>
            {action.label}
            {action.key && <kbd>{action.key}</kbd>}
          </button>
        )}
        <button type="button" class="icon-button" aria-label="Dismiss" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
    ))}
  </div>
);
