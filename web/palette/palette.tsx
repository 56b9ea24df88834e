/** One field for everything: search, commands by name, and slash commands. */
import { type Signal, signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { agents } from "../data/agents.ts";
import { channels } from "../data/channels.ts";
import { type Search, useSearch } from "../data/search.ts";
import { useStore } from "../data/store.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { commandItems, hitItems, type Item, openItems, placeItems, slashItems } from "./items.tsx";
import { useSlash } from "./use-slash.ts";

const open = signal<string | undefined>();

export function openPalette(text: string): void {
  open.value = text;
}

export function Palette() {
  if (open.value === undefined) return null;
  return (
    <PaletteDialog
      start={open.value}
      onClose={() => {
        open.value = undefined;
      }}
    />
  );
}

function PaletteDialog({ start, onClose }: { start: string; onClose(): void }) {
  const text = useSignal(start);
  const words = text.value.trim();
  const isSlash = words.startsWith("/");
  const slash = useSlash(() => {
    text.value = "";
  });
  useStore(agents);
  useStore(channels);
  const search = useSearch(isSlash ? "" : words);
  const items = isSlash
    ? slashItems(words, slash.run)
    : [
        ...openItems(words, onClose),
        ...placeItems(words, onClose),
        ...hitItems(search.hits, onClose),
        ...commandItems(words, onClose),
      ];
  const list = useRef<HTMLDivElement>(null);
  const chosen = useChoice(words, items.length, list);
  return (
    <Dialog label="Search and commands" class="palette" onClose={onClose}>
      <div class="palette-field">
        <Icon name={isSlash ? "code" : "search"} />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={items.length ? `option-${chosen.at}` : undefined}
          aria-label="Search, or a command"
          placeholder="Search, or type / for commands"
          autoComplete="off"
          spellcheck={false}
          autofocus
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            slash.clear();
          }}
          onKeyDown={keysOf({ text, items, chosen, otherwise: () => isSlash && slash.run(words) })}
        />
        {slash.busy && <span class="hint">Waiting …</span>}
      </div>
      {slash.answer && (
        <pre class="palette-answer" data-bad={slash.answer.bad} role="status" tabIndex={0}>
          {slash.answer.lines.join("\n")}
        </pre>
      )}
      <div class="palette-list" id="palette-list" role="listbox" aria-label="Results" ref={list}>
        {items.map((item, i) => (
          <Option
            key={item.key}
            item={item}
            id={`option-${i}`}
            heads={item.group !== items[i - 1]?.group}
            chosen={i === chosen.at}
            onPoint={() => chosen.choose(i)}
          />
        ))}
      </div>
      {!isSlash && <SearchState search={search} words={words} none={!items.length} />}
      <Keys />
    </Dialog>
  );
}

/** Which option the arrow keys have reached; typing on begins at the top. */
function useChoice(words: string, count: number, list: RefObject<HTMLDivElement | null>) {
  const at = useSignal(0);
  // Before it is drawn: Enter must not open what was chosen for other words.
  useLayoutEffect(() => {
    at.value = 0;
  }, [words, at]);
  const choose = (next: number) => {
    at.value = Math.max(0, Math.min(count - 1, next));
  };
  return {
    at: Math.max(0, Math.min(at.value, count - 1)),
    choose,
    move(step: 1 | -1) {
      choose(at.value + step);
      list.current?.querySelectorAll(".option")[at.value]?.scrollIntoView({ block: "nearest" });
    },
  };
}

interface KeyTargets {
  text: Signal<string>;
  items: readonly Item[];
  chosen: ReturnType<typeof useChoice>;
  /** Enter, where there is nothing to choose. */
  otherwise(): void;
}

const steps: Record<string, 1 | -1> = { ArrowDown: 1, ArrowUp: -1 };
const controlSteps: Record<string, 1 | -1> = { n: 1, p: -1 };

const keysOf =
  ({ text, items, chosen, otherwise }: KeyTargets) =>
  (event: KeyboardEvent) => {
    const step = steps[event.key] ?? (event.ctrlKey ? controlSteps[event.key] : undefined);
    const item = items[chosen.at];
    if (step) chosen.move(step);
    else if (event.key === "Tab" && item?.fill && !event.shiftKey) text.value = item.fill;
    else if (event.key === "Enter") item ? item.run() : otherwise();
    else return;
    event.preventDefault();
  };

interface OptionProps {
  item: Item;
  id: string;
  /** Whether it is the first of its group. */
  heads: boolean;
  chosen: boolean;
  onPoint(): void;
}

const Option = ({ item, id, heads, chosen, onPoint }: OptionProps) => (
  <div role="presentation">
    {heads && (
      <p class="palette-group" role="presentation">
        {item.group}
      </p>
    )}
    {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys */}
    {/* biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, as for every combobox */}
    <div id={id} class="option" role="option" aria-selected={chosen} onClick={item.run} onMouseMove={onPoint}>
      <Icon name={item.icon} />
      {item.children}
    </div>
  </div>
);

/** Whether the search still runs, has failed, or has found nothing: three different things to tell a person. */
function SearchState({ search, words, none }: { search: Search; words: string; none: boolean }) {
  const { state, hits, problem, retry } = search;
  return (
    <div class="palette-state" role="status">
      {state === "searching" && !hits.length && "Searching …"}
      {state === "failed" && (
        <span class="palette-problem">
          The search failed: {problem?.message} <LinkButton onClick={retry}>Try again</LinkButton>
        </span>
      )}
      {state === "done" && !hits.length && `Nothing found for “${words}”.`}
      {state === "off" && none && "No command matches. Type two letters or more to search."}
    </div>
  );
}

const Keys = () => (
  <footer class="palette-foot">
    <span>
      <kbd>↑</kbd> <kbd>↓</kbd> choose
    </span>
    <span>
      <kbd>↵</kbd> open
    </span>
    <span>
      <kbd>/</kbd> slash commands
    </span>
    <span>
      <kbd>Esc</kbd> close
    </span>
  </footer>
);
