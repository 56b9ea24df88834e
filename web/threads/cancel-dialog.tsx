/** Asks before a thread is cancelled, and why. */
import { useSignal } from "@preact/signals";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";

interface Props {
  subject: string;
  onClose(): void;
  onCancel(reason: string): void;
}

export function CancelDialog({ subject, onClose, onCancel }: Props) {
  const reason = useSignal("");
  return (
    <Dialog label="Cancel thread" class="small" onClose={onClose}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          onCancel(reason.value.trim());
        }}
      >
        <h1>Cancel the thread “{subject}”?</h1>
        <p class="hint">The agent that holds it is told, with your reason.</p>
        <TextField label="Reason" text={reason} />
        <div class="card-actions">
          <button type="button" class="button quiet" onClick={onClose}>
            Keep thread
          </button>
          <button type="submit" class="button danger">
            Cancel thread
          </button>
        </div>
      </form>
    </Dialog>
  );
}
