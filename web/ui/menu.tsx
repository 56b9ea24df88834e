/** A list to choose from, by number or by pointer; a long one by a part of the name. */
import { signal, useSignal } from "@preact/signals";
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
  const long = choices.length > 9;
  const part = useSignal("");
  const shown = choices.filter(({ name }) => name.toLowerCase().includes(part.value.trim().toLowerCase()));
  const numbers = long ? {} : Object.fromEntries(choices.map(({ run }, i) => [String(i + 1), run]));
  return (
    <Dialog label={title} class="small menu" onClose={onClose} keys={numbers}>
      <h1>{title}</h1>
      {long && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            shown[0]?.run();
          }}
        >
          <input
            aria-label="A part of the name"
            placeholder="A part of the name…"
            autoComplete="off"
            value={part.value}
            onInput={(event) => {
              part.value = event.currentTarget.value;
            }}
          />
        </form>
      )}
      <div class="menu-lines">
        {shown.map(({ name, hint, run }, i) => (
          <button key={name} type="button" class="menu-line" onClick={run}>
            {!long && <kbd>{i + 1}</kbd>}
            <span class="grow">{name}</span>
            {hint && <span class="hint">{hint}</span>}
          </button>
        ))}
        {shown.length === 0 && <p class="hint">Nothing has this name.</p>}
      </div>
    </Dialog>
  );
}
