/** A short list to choose from, by number or by pointer. */
import { signal } from "@preact/signals";
import { Dialog } from "./dialog.tsx";

export interface Choice {
  name: string;
  hint?: string;
  run(): void;
}

const shown = signal<{ title: string; choices: readonly Choice[]; onClose(): void } | undefined>(undefined);

/** Whether one was chosen. */
export function choose(title: string, choices: readonly Choice[]): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const close = (chosen: boolean) => {
    shown.value = undefined;
    resolve(chosen);
  };
  shown.value = {
    title,
    choices: choices.map((choice) => ({
      ...choice,
      run() {
        close(true);
        choice.run();
      },
    })),
    onClose: () => close(false),
  };
  return promise;
}

export function Menu() {
  if (!shown.value) return null;
  return <MenuDialog {...shown.value} />;
}

function MenuDialog({ title, choices, onClose }: NonNullable<typeof shown.value>) {
  const numbers = Object.fromEntries(choices.map(({ run }, i) => [String(i + 1), run]));
  return (
    <Dialog label={title} class="small menu" onClose={onClose} keys={numbers}>
      <h1>{title}</h1>
      {choices.map(({ name, hint, run }, i) => (
        <button key={name} type="button" class="menu-line" onClick={run}>
          <kbd>{i + 1}</kbd>
          <span class="grow">{name}</span>
          {hint && <span class="hint">{hint}</span>}
        </button>
      ))}
    </Dialog>
  );
}
