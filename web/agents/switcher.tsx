/**
 * Alt with A, held: the agents in the order they were used, as Alt with Tab has windows. Each further A goes one on, with
 * Shift back; letting go of Alt opens it.
 */
import { signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { queue, taskNamed } from "../data/tasks.ts";
import { plainTitle } from "../documents/plain-text.ts";
import { go, place } from "../router.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Face } from "../ui/face.tsx";
import { say } from "../ui/toasts.tsx";
import { openTabs, recent } from "./open-tabs.ts";
import { StateDot } from "./tab-strip.tsx";

const shown = signal<{ names: readonly string[]; at: number } | undefined>(undefined);

/** Those that are open, the last used first; then those that run. */
function order(): string[] {
  const open = new Set(openTabs.peek().map(({ name }) => name));
  const used = recent.peek().filter((name) => open.has(name));
  const running = (queue.value.peek()?.running ?? []).map(({ name }) => name);
  return [...new Set([...used, ...running])];
}

export function switchAgents(step: 1 | -1): void {
  const names = order();
  if (!names.length) return void say({ text: "No agent is open or runs", detail: "g a leads to the list." });
  const { tab, id } = place.peek();
  // From the one that is shown to the one before it; from elsewhere back to the last one.
  const from = tab === "agents" && names[0] === id ? 0 : -1;
  shown.value = { names, at: (from + (step === 1 ? 1 : names.length - (from < 0 ? 0 : 1))) % names.length };
}

export function Switcher() {
  if (!shown.value) return null;
  return <SwitcherDialog {...shown.value} />;
}

function SwitcherDialog({ names, at: first }: { names: readonly string[]; at: number }) {
  const at = useSignal(first);
  const close = () => {
    shown.value = undefined;
  };
  const move = (step: 1 | -1) => () => {
    at.value = (at.value + step + names.length) % names.length;
  };
  const open = (name = names[at.peek()]) => {
    close();
    if (name !== undefined) go({ tab: "agents", id: name });
  };
  // At once: on a slow machine the key may be let go of before anything later is done.
  useLayoutEffect(() => {
    const released = ({ key }: KeyboardEvent) => {
      if (key === "Alt") open();
    };
    addEventListener("keyup", released);
    // Whoever goes to another window lets go of the key there.
    addEventListener("blur", close);
    return () => {
      removeEventListener("keyup", released);
      removeEventListener("blur", close);
    };
  }, []);
  const current = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => current.current?.focus(), [at.value]);
  const [next, back] = [move(1), move(-1)];
  const keys = {
    ...{ "alt+a": next, "alt+ArrowDown": next, ArrowDown: next },
    ...{ "alt+A": back, "alt+ArrowUp": back, ArrowUp: back },
    ...{ Enter: () => open(), "alt+Enter": () => open(), "alt+Escape": close },
  };
  return (
    <Dialog label="Switch to an agent" class="small menu switcher" onClose={close} keys={keys}>
      {names.map((name, i) => (
        <button
          key={name}
          type="button"
          class="menu-line"
          ref={i === at.value ? current : undefined}
          aria-current={i === at.value ? "true" : undefined}
          onClick={() => open(name)}
        >
          <Face name={name} />
          <span class="grow">
            <StateDot name={name} /> {name}
          </span>
          <span class="hint">{plainTitle(taskNamed(name)?.summary ?? "")}</span>
        </button>
      ))}
    </Dialog>
  );
}
