/** The agents that are open, above the one that is shown. */
import { statusOf, taskNamed } from "../data/tasks.ts";
import { useKeys } from "../keys.ts";
import { place } from "../router.ts";
import { Icon } from "../ui/icon.tsx";
import { PlaceLink } from "../ui/place-link.tsx";
import { toneOf } from "../ui/status.tsx";
import { closeTab, openTabs } from "./open-tabs.ts";

/** Of a sub-agent: whether it runs, and how it ended. */
export function stateOf(name: string): string | undefined {
  const task = taskNamed(name);
  return task && statusOf(task);
}

export function TabStrip() {
  const { id } = place.value;
  useKeys({ w: () => id !== undefined && closeTab(id, id) });
  if (openTabs.value.length < 2) return null;
  return (
    <nav class="tab-strip" aria-label="Open agents">
      {openTabs.value.map(({ name, passing }) => (
        <span key={name} class="agent-tab" data-current={name === id} data-passing={passing}>
          <PlaceLink
            class="agent-link"
            to={{ tab: "agents", id: name }}
            current={name === id ? "page" : undefined}
          >
            <StateDot name={name} /> {name}
          </PlaceLink>
          <button
            type="button"
            class="icon-button"
            tabIndex={-1}
            aria-label={`Close ${name}`}
            title={name === id ? "Close (w)" : "Close"}
            onClick={() => closeTab(name, id)}
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
    </nav>
  );
}

export const StateDot = ({ name }: { name: string }) => {
  const state = stateOf(name);
  return <span class="state-dot" data-tone={state && toneOf(state)} title={state} />;
};
